import { createContext, Script } from "node:vm";
import { lazy } from "../base/async.ts";

const script = lazy(() => new Script("work()"));
const context = lazy(() => createContext({ work: undefined }));

/** Runs synchronous work and throws at the deadline, even inside a regular expression. */
export function withDeadline<Value>(ms: number, work: () => Value): Value {
  const sandbox = context();
  sandbox.work = work;
  try {
    return script().runInContext(sandbox, { timeout: ms });
  } finally {
    sandbox.work = undefined;
  }
}
