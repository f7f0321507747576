/** They run what a project holds: sources, tasks and configurations that they look for by themselves. */
const tools: ReadonlySet<string> = new Set(
  [
    "cargo rustup gradle gradlew mvn mvnw mvnd sbt sbtn ant lein boot mill clj clojure bb jbang scala-cli kscript",
    "bazel bazelisk buck pants plz xcodebuild fastlane flutter melos dub shards gleam rebar mix dune",
    "opam stack cabal spago cmake ctest ninja samu meson scons waf xmake premake tup redo bear",
    "rake thor rails spring foreman overmind honcho hivemind composer",
    "nx turbo lerna rush rushx moon lage wireit gulp grunt jake webpack rollup vite next nuxt nuxi astro parcel",
    "hardhat xmcp mcp-use functions-framework probot",
    "mise rtx asdf pixi devbox devenv direnv nix-shell nix-build nix-env invoke inv fab doit poe snakemake pre-commit",
    "docker-compose podman-compose skaffold tilt garden earthly dagger act vagrant",
    "terraform tofu terragrunt pulumi cdk ansible-playbook",
  ].flatMap((line) => line.split(" ")),
);

/** These do as well, unless what follows them is like this: a file that is named, or nothing of the project. */
const unless: ReadonlyMap<string, RegExp> = new Map([
  ["go", /^run (?:[^-\s]\S*\.go|[^-./\s]\S*@\S+)(?: |$)/],
  ["dotnet", /^(?:exec )?[^-\s]\S*\.dll(?: |$)/],
  ["zig", /^run [^-\s]\S*\.zig(?: |$)/],
  ["swift", /^[^-\s]\S*\.swift(?: |$)/],
  ["dart", /^(?:run )?[^-\s]\S*\.dart(?: |$)/],
  ["nix", /^run (?:(?:github|gitlab|sourcehut|flake):|nixpkgs#)\S+(?: --(?: |$)|$)/],
  ...["docker", "podman", "nerdctl"].map((name) => [name, /^(?:run|exec|start|attach|mcp)(?: |$)/] as const),
  // A path before the task is where it looks for its file.
  ["just", /^[^-./\s][^/\s]*(?: |$)|^$/],
]);

export function isBuildTool(name: string): boolean {
  return tools.has(name);
}

/** Would a program of that name, given these words, run what the project holds? */
export function runsProject(name: string, words: readonly string[]): boolean {
  const plain = unless.get(name);
  return tools.has(name) || (plain !== undefined && !plain.test(words.join(" ")));
}
