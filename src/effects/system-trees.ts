import { isInsideAny } from "../contract/path-scope.ts";

const systemTrees = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/** Every command is shown these, and the names of what is installed are known to all. */
export function isOfSystem(path: string): boolean {
  return isInsideAny(path, systemTrees);
}
