import { expect, test } from "vitest";
import { makeShellProject } from "../../test/gate-matrix/shell-project.ts";

test.each<[string, string | undefined]>([
  ["ln -s .git g; echo x > g/hooks/pre-commit", "goes through a link that it makes, to g/hooks/pre-commit"],
  ["touch l/b; ln -s src l", "goes through a link that it makes, to l/b"],
  ["ln src/a.ts l && echo x >> l", "goes through a link that it makes, to l"],
  ["/bin/ln -s sub l; rm l/deep", "goes through a link that it makes, to l/deep"],
  ["ln -s src l; cd l && mv deep x", "goes through a link that it makes, to"],
  // The link itself, and what was counted as read when it was made.
  ["ln -s src l", undefined],
  ["ln -s src l; ls l; cat l/a.ts", undefined],
  ["ln -s src l; rm l", undefined],
  ["ln -s src l; touch l2 src/x", undefined],
])("%s", (command, raised) => {
  const { raiseTo, raisedBecause } = makeShellProject().shell(command);
  if (raised === undefined) expect([raiseTo, raisedBecause]).toEqual([undefined, undefined]);
  else expect([raiseTo, raisedBecause]).toEqual(["R4", expect.stringContaining(raised)]);
});
