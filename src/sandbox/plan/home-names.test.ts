import { expect, test } from "vitest";
import { homeNames } from "./package-managers.ts";

const homes = { person: "/home/ada", taken: ["/run/home/.gitconfig"] };

test.each<[string, readonly string[], readonly string[]]>([
  ["what is shown of the person's home", ["/home/ada/a/b.sh"], ["/run/home/a/b.sh -> /home/ada/a/b.sh"]],
  ["the outermost of two, once", ["/home/ada/a/b", "/home/ada/a", "/home/ada/a"], ["/run/home/a -> /home/ada/a"]],
  ["nothing of elsewhere, and never the home itself", ["/srv/a", "/home/adaline/a", "/home/ada"], []],
  ["nothing where the command has a file of its own", ["/home/ada/.gitconfig"], []],
])("names %s", (_, shown, expected) => {
  expect(homeNames(shown, homes).map(({ path, target }) => `${path} -> ${target}`)).toEqual(expected);
});
