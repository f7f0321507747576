import path from "node:path";

export interface Places {
  readonly workspace: string;
  readonly home: string;
}

export function absolutePath(written: string, { workspace, home }: Places): string {
  if (written === "~") return home;
  if (written.startsWith("~/")) return path.join(home, written.slice(2));
  return path.resolve(workspace, written);
}
