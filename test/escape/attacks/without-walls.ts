import { type Attack, bash } from "./attack.ts";

/** The hostile code with the sandbox switched off by the person: it gets what it wants, and every alarm must ring. */
export const withoutWalls: Attack = {
  title: "no sandbox at all",
  settings: { sandbox: { backend: "none" } },
  prepare: (w) => {
    w.directory(".git/hooks");
    w.put("build.sh", `chmod 4755 a.txt\n${w.payload}\n`);
  },
  steps: () => [bash("sh build.sh")],
  modes: [],
  agreed: "held",
};
