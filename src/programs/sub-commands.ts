import { listed } from "./flag-lists.ts";
import { launchers } from "./launchers.ts";

/**
 * Programs that do what their sub-command says, for rules that refuse one. An option that is named nowhere here
 * is read both ways, with the next word as its value and without.
 */
export interface SubCommandEntry {
  readonly names: readonly string[];
  /** Options in front of the sub-command that take the next word. */
  readonly values?: readonly string[];
  /** Options that never do. */
  readonly flags?: readonly string[];
  /** What else a sub-command is called. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Any beginning of these is understood as well. */
  readonly abbreviated?: readonly string[];
  /** Sub-commands that are scripts: `run test` and `test` are the same. */
  readonly scripts?: "all" | readonly string[];
  /** Sub-commands behind which another program stands. */
  readonly runs?: readonly string[];
  /** Sub-commands that only lead to another one of the same program, behind so many words. */
  readonly leads?: Readonly<Record<string, number>>;
  /** Every operand is a sub-command by itself. */
  readonly targets?: boolean;
}

const npmSynonyms = {
  ...synonymsOf("run", "run-script rum urn"),
  ...synonymsOf("install", "i in ins inst insta instal add isnt isnta isntal isntall"),
  ...synonymsOf("ci", "clean-install ic install-clean isntall-clean"),
  ...synonymsOf("test", "t tst"),
  ...synonymsOf("install-test", "it"),
  ...synonymsOf("install-ci-test", "cit clean-install-test sit"),
  ...synonymsOf("uninstall", "un unlink remove rm r"),
  ...synonymsOf("update", "up upgrade udpate"),
  ...synonymsOf("exec", "x"),
  ...synonymsOf("init", "create innit"),
  ...synonymsOf("view", "info show v"),
  ...synonymsOf("ls", "list la ll"),
  ...synonymsOf("link", "ln"),
  ...synonymsOf("config", "c"),
  ...synonymsOf("dedupe", "ddp"),
  ...synonymsOf("rebuild", "rb"),
  ...synonymsOf("search", "s se find"),
  ...synonymsOf("owner", "author"),
  ...synonymsOf("login", "add-user adduser"),
  ...synonymsOf("dist-tag", "dist-tags"),
  ...synonymsOf("issues", "bugs"),
  ...synonymsOf("star", "stars"),
};

const npmValues = listed(
  "--prefix -C --loglevel --registry --reg --userconfig --globalconfig --cache -w --workspace --tag --otp --scope --script-shell --node-options",
);
const npmFlags = listed(
  "-s --silent -q --quiet -d -dd -ddd --verbose -g --global -y --yes -f --force -D -S -ws --workspaces --if-present --ignore-scripts --no-color --no-audit --no-fund --json --offline --prefer-offline",
);

export const subCommands: readonly SubCommandEntry[] = [
  {
    names: ["git"],
    values: listed("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"),
    flags: listed(
      "-p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --exec-path --html-path --man-path --info-path",
    ),
    synonyms: {
      ...synonymsOf("add", "stage"),
      ...synonymsOf("init", "init-db"),
      ...synonymsOf("blame", "annotate"),
      ...synonymsOf("log", "whatchanged"),
      ...synonymsOf("fsck", "fsck-objects"),
      ...synonymsOf("merge-recursive", "merge-subtree"),
    },
  },
  {
    names: ["npm"],
    values: npmValues,
    flags: npmFlags,
    synonyms: npmSynonyms,
    abbreviated: listed(
      "access audit cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund help hook init install install-ci-test install-test link login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run run-script search set shrinkwrap star start stop team test token undeprecate uninstall unpublish unstar update version view whoami",
    ),
    scripts: ["test", "start", "stop", "restart"],
    runs: ["exec"],
  },
  {
    names: ["pnpm"],
    values: [...npmValues, ...listed("--dir -F --filter --filter-prod --reporter --workspace-concurrency")],
    flags: [
      ...npmFlags,
      ...listed("-r --recursive --stream --parallel --aggregate-output -w --workspace-root --no-bail"),
    ],
    synonyms: npmSynonyms,
    scripts: "all",
    runs: ["exec", "dlx"],
  },
  {
    names: ["yarn", "yarnpkg"],
    values: listed("--cwd --use-yarnrc --registry --cache-folder --modules-folder"),
    flags: listed("-s --silent --offline"),
    synonyms: npmSynonyms,
    scripts: "all",
    runs: ["exec", "dlx"],
    leads: { workspace: 1 },
  },
  {
    names: ["bun"],
    values: listed("--cwd -c --config --filter -F --env-file -r --preload --shell"),
    synonyms: npmSynonyms,
    scripts: "all",
    runs: ["exec"],
  },
  { names: ["pip"], values: listed("--python --log --proxy --cache-dir --retries --timeout --cert --trusted-host") },
  {
    names: ["cargo"],
    values: listed("--config -C --color -Z --manifest-path --target-dir --explain"),
    flags: listed("-q --quiet -v -vv --verbose --locked --offline --frozen"),
    synonyms: {
      ...synonymsOf("build", "b"),
      ...synonymsOf("check", "c"),
      ...synonymsOf("test", "t"),
      ...synonymsOf("run", "r"),
      ...synonymsOf("doc", "d"),
      ...synonymsOf("remove", "rm"),
    },
  },
  { names: ["go"], values: ["-C"] },
  {
    names: ["docker", "podman", "nerdctl"],
    values: listed("--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey"),
    flags: listed("-D --debug --tls --tlsverify"),
    leads: { container: 0, image: 0 },
  },
  {
    names: ["kubectl", "oc"],
    values: listed(
      "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --as-uid --request-timeout -v --v --cache-dir --certificate-authority --client-certificate --client-key --tls-server-name --profile",
    ),
    flags: listed("--insecure-skip-tls-verify --match-server-version --warnings-as-errors"),
  },
  { names: ["make", "gmake"], values: listed("-C --directory -f --file --makefile -I -o -W"), targets: true },
  {
    names: ["gradle", "gradlew", "mvn", "mvnw", "ant", "sbt", "lein", "bazel", "bazelisk"],
    values: listed("-pl --projects -T --threads -f --file -p --project-dir"),
    flags: listed("-q --quiet -o --offline -B --batch-mode -e -X -am --no-daemon --info --stacktrace --console=plain"),
    targets: true,
  },
  { names: ["just", "task", "rake", "ninja"], targets: true },
  {
    names: listed(
      "gh glab hub aws gcloud gsutil az helm terraform tofu pulumi cdk sam serverless ansible vagrant packer systemctl service launchctl loginctl poetry pdm pipenv hatch rye conda mamba uv pipx bundle bundler gem composer mix dotnet nuget dart flutter deno corepack apt apt-get dnf yum pacman apk brew snap flatpak nix heroku vercel netlify fly flyctl doctl firebase wrangler supabase railway stripe lerna nx turbo rush hg svn jj docker-compose openssl tmux",
    ),
  },
];

export const subCommandsOf: ReadonlyMap<string, SubCommandEntry> = new Map(
  subCommands.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

/** `undefined` when nobody can tell. */
export function takesValue(option: string, entry: SubCommandEntry | undefined): boolean | undefined {
  if (!option.startsWith("-") || option === "--" || option.includes("=")) return false;
  if (entry?.flags?.includes(option)) return false;
  return entry?.values?.includes(option) ? true : undefined;
}

/** Programs whose next word but options is another program. */
export const runsNext: ReadonlySet<string> = new Set(
  launchers.flatMap(({ names, registry }) => (registry === "npm" ? names.filter((name) => !name.includes(" ")) : [])),
);

/** Names under which one program goes. */
export const sameProgram: readonly (readonly string[])[] = [
  ["pip", "pip3"],
  ["python", "python3", "python2"],
  ["node", "nodejs"],
];

function synonymsOf(name: string, others: string): Readonly<Record<string, string>> {
  return Object.fromEntries(listed(others).map((other) => [other, name]));
}
