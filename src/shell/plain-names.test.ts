import { describe, expect, test } from "vitest";
import type { PlainForm } from "../contract/effect.ts";
import { formsInside, plainForms } from "../programs/plain-forms.ts";

/** `_` is one word that only the running shell knows, `…` any number of them. */
function formOf(text: string): PlainForm {
  const words = text.split(" ").filter((word) => word !== "");
  return words.map((word) => (word === "_" ? { many: false } : word === "…" ? { many: true } : word));
}

function shown(forms: readonly PlainForm[] = []): readonly string[] {
  return forms.map((form) => form.map((word) => (typeof word === "string" ? word : word.many ? "…" : "_")).join(" "));
}

describe("what a command may also be called", () => {
  test.each<[command: string, forms: readonly string[]]>([
    ["git commit", ["git commit"]],
    ["git -C x commit", ["git commit"]],
    ["git -c a=b commit", ["git commit"]],
    ["git -c alias.x=y x", ["git …"]],
    ["git --config-env=alias.x=y x", ["git …"]],
    ["git -c include.path=x y", ["git …"]],
    ["git -c _ x", ["git …"]],
    ["git --frob commit", ["git commit"]],
    ["git --frob x commit", ["git x commit", "git commit"]],
    ["git-commit -m x", ["git commit -m x"]],
    ["/usr/lib/git-core/git-push", ["git push"]],
    ["npm test", ["npm test", "npm run test"]],
    ["npm t", ["npm t", "npm test", "npm run test"]],
    ["npm run test", ["npm run test", "npm test"]],
    ["npm run-script test", ["npm run-script test", "npm run test", "npm test"]],
    ["npm exec x y", ["npm exec x y", "npx x y", "npm exec x y", "x y"]],
    ["npm exec -- x", ["npm exec -- x", "npx x", "npm exec x", "x"]],
    ["npx x", ["npx x", "npm exec x", "x"]],
    ["npx -y x", ["npx x", "npm exec x", "x"]],
    ["npx git push", ["npx git push", "npm exec git push", "git push", "git push"]],
    ["npm --prefix x test", ["npm test", "npm run test"]],
    ["npm i", ["npm i", "npm install"]],
    ["npm add x", ["npm add x", "npm install x"]],
    ["yarn test", ["yarn test", "yarn run test"]],
    ["yarn run test", ["yarn run test", "yarn test"]],
    ["pnpm dlx x", ["pnpm dlx x", "pnpm x", "x", "pnpm run dlx x"]],
    ["python -m pip install x", ["pip install x", "pip install x", "pip3 install x"]],
    ["python3.12 -m pip install x", ["pip install x", "pip install x", "pip3 install x"]],
    ["py -m pip x", ["pip x", "pip x", "pip3 x"]],
    ["pypy3 -m pip x", ["pip x", "pip x", "pip3 x"]],
    ["python -mpip x", ["pip x", "pip x", "pip3 x"]],
    ["python -c x", []],
    ["python a.py -m x", ["x"]],
    ["pip3.12 install x", ["pip install x", "pip3 install x"]],
    ["pip install x", ["pip install x", "pip3 install x"]],
    ["mypip3 install", []],
    ["make test", ["make test"]],
    ["make -C x a b", ["make a b", "make b"]],
    ["make A=b test", ["make test"]],
    [
      "make a b c d e f g h i",
      [
        "make a b c d e f g h i",
        "make b c d e f g h i",
        "make c d e f g h i",
        "make d e f g h i",
        "make e f g h i",
        "make f g h i",
        "make g h i",
        "make h i",
        "make i",
      ],
    ],
    ["cargo +nightly build", ["cargo build"]],
    ["cargo b", ["cargo b", "cargo build"]],
    ["docker compose up", ["docker compose up"]],
    ["docker-compose up", ["docker-compose up"]],
    ["kubectl -n x get", ["kubectl get"]],
    ["_ commit", ["_ commit"]],
    ["… commit", ["… commit"]],
    ["git _", ["git _"]],
    ["git …", ["git …"]],
    ["git _ push", ["git _ push", "git push"]],
    ["npm _", ["npm _"]],
    ["ls", []],
    ["frob x", []],
    ["sudo git push", []],
    ["env A=b git push", []],
    ["", []],
    ["poetry run pytest", ["poetry run pytest"]],
    ["uv run x", ["uv run x"]],
    ["uv pip install x", ["uv pip install x"]],
    ["go run x", ["go run x"]],
    ["go test", ["go test"]],
    ["gh pr create", ["gh pr create"]],
    ["terraform -chdir=x apply", ["terraform apply"]],
    ["git x commit", ["git x commit"]],
    ["npm run", ["npm run"]],
    ["npm", []],
    ["git", []],
  ])("%s: %j", (command, forms) => {
    expect(shown(plainForms(formOf(command), true))).toEqual(forms);
  });
});

describe("what may stand in a text that was not understood", () => {
  test.each<[text: string, forms: readonly string[]]>([
    ["sudo -u root git push", ["git push"]],
    ["sudo _", ["_"]],
    ["sudo -u root _", ["_"]],
    ["timeout 5 _", ["_"]],
    ["timeout 5m _", ["_"]],
    ["timeout 5x _", []],
    ["bash -c _", ["…"]],
    ["bash _", []],
    ["eval _", ["…"]],
    ["xargs git push", ["git push"]],
    ["x git push", ["git push"]],
    ["nice -n 5 _", ["_"]],
    ["env A=b _", ["_"]],
    ["echo _", []],
    ["sh -ec _", ["…"]],
    ["find . -exec git push ;", ["git push"]],
    ["a;git push|b", ["git push b"]],
    ["'git push'", ["git push"]],
    ["npm x; git y", ["npm x git y", "npm exec git y", "npx git y", "npm exec git y", "git y", "git y", "git y"]],
    ["sudo x _", []],
    ["x-c _", []],
    ["git-push", ["git push"]],
    ["python -m x", ["x"]],
  ])("%s: %j", (text, forms) => {
    expect(shown(formsInside(formOf(text)))).toEqual(forms);
  });
});
