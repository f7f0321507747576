import { rowsOf } from "./flag-lists.ts";
import { launchers } from "./launchers.ts";

const npmSynonyms = `
  run=run-script,rum,urn install=i,in,ins,inst,insta,instal,add,isnt,isnta,isntal,isntall
    ci=clean-install,ic,install-clean,isntall-clean test=t,tst install-test=it
    install-ci-test=cit,clean-install-test,sit uninstall=un,unlink,remove,rm,r update=up,upgrade,udpate exec=x
    init=create,innit view=info,show,v ls=list,la,ll link=ln config=c dedupe=ddp rebuild=rb search=s,se,find
    owner=author login=add-user,adduser dist-tag=dist-tags issues=bugs star=stars
`.trim();
const npmValues = `
  --prefix -C --loglevel --registry --reg --userconfig --globalconfig --cache -w --workspace --tag --otp --scope
    --script-shell --node-options
`.trim();
const npmFlags = `
  -s --silent -q --quiet -d -dd -ddd --verbose -g --global -y --yes -f --force -D -S -ws --workspaces --if-present
    --ignore-scripts --no-color --no-audit --no-fund --json --offline --prefer-offline
`.trim();

/**
 * Programs that do what their sub-command says, for rules that refuse one. In front of it, options of `values` take the
 * next word and `flags` never do; any other option is read both ways. `synonyms` `a=b,c` are b and c for a; of
 * `abbreviated` any beginning is enough. `scripts` (or all, `*`) are also reached as `run x`; behind `runs` stands
 * another program, and one word behind `leads` `a=1` a sub-command. With `targets` every operand is a sub-command.
 */
export const subCommands = rowsOf(
  `
  git; values -C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source; flags -p --paginate
    -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs
    --glob-pathspecs --noglob-pathspecs --icase-pathspecs --exec-path --html-path --man-path --info-path; synonyms
    add=stage init=init-db blame=annotate log=whatchanged fsck=fsck-objects merge-recursive=merge-subtree
  npm; values ${npmValues}; flags ${npmFlags}; synonyms ${npmSynonyms}; abbreviated access audit cache ci completion
    config dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund help hook init install
    install-ci-test install-test link login logout ls org outdated owner pack ping pkg prefix profile prune publish
    query rebuild repo restart root run run-script search set shrinkwrap star start stop team test token undeprecate
    uninstall unpublish unstar update version view whoami; scripts test start stop restart; runs exec
  pnpm; values ${npmValues} --dir -F --filter --filter-prod --reporter --workspace-concurrency; flags ${npmFlags} -r
    --recursive --stream --parallel --aggregate-output -w --workspace-root --no-bail; synonyms ${npmSynonyms}; scripts
    *; runs exec dlx
  yarn yarnpkg; values --cwd --use-yarnrc --registry --cache-folder --modules-folder; flags -s --silent --offline;
    synonyms ${npmSynonyms}; scripts *; runs exec dlx; leads workspace=1
  bun; values --cwd -c --config --filter -F --env-file -r --preload --shell; synonyms ${npmSynonyms}; scripts *; runs
    exec
  pip; values --python --log --proxy --cache-dir --retries --timeout --cert --trusted-host
  cargo; values --config -C --color -Z --manifest-path --target-dir --explain; flags -q --quiet -v -vv --verbose
    --locked --offline --frozen; synonyms build=b check=c test=t run=r doc=d remove=rm
  go; values -C
  docker podman nerdctl; values --config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey; flags
    -D --debug --tls --tlsverify; leads container=0 image=0
  kubectl oc; values -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group
    --as-uid --request-timeout -v --v --cache-dir --certificate-authority --client-certificate --client-key
    --tls-server-name --profile; flags --insecure-skip-tls-verify --match-server-version --warnings-as-errors
  make gmake; values -C --directory -f --file --makefile -I -o -W; targets
  gradle gradlew mvn mvnw ant sbt lein bazel bazelisk; values -pl --projects -T --threads -f --file -p --project-dir;
    flags -q --quiet -o --offline -B --batch-mode -e -X -am --no-daemon --info --stacktrace --console=plain; targets
  just task rake ninja; targets
  gh glab hub aws gcloud gsutil az helm terraform tofu pulumi cdk sam serverless ansible vagrant packer systemctl
    service launchctl loginctl poetry pdm pipenv hatch rye conda mamba uv pipx bundle bundler gem composer mix dotnet
    nuget dart flutter deno corepack apt apt-get dnf yum pacman apk brew snap flatpak nix heroku vercel netlify fly
    flyctl doctl firebase wrangler supabase railway stripe lerna nx turbo rush hg svn jj docker-compose openssl tmux
`,
  ["values", "flags", "synonyms", "abbreviated", "scripts", "runs", "leads", "targets"],
).map(({ synonyms = [], scripts, leads = [], targets, ...row }) => ({
  ...row,
  synonyms: Object.fromEntries(
    synonyms.flatMap((word) => {
      const [name = "", others = ""] = word.split("=");
      return others.split(",").map((other) => [other, name]);
    }),
  ),
  scripts: scripts?.includes("*") ? ("all" as const) : scripts,
  leads: Object.fromEntries(leads.map((word) => [word.replace(/=.*/, ""), Number(word.replace(/.*=/, ""))])),
  targets: targets !== undefined,
}));

export type SubCommandEntry = (typeof subCommands)[number];

export const subCommandsOf: ReadonlyMap<string, SubCommandEntry> = new Map(
  subCommands.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

export function takesValue(
  option: string,
  entry: Pick<SubCommandEntry, "flags" | "values"> | undefined,
): boolean | undefined {
  if (!option.startsWith("-") || option === "--" || option.includes("=")) return false;
  if (entry?.flags?.includes(option)) return false;
  return entry?.values?.includes(option) ? true : undefined;
}

/**
 * Where a sub-command or a command may begin behind options. Each word is looked at once, whatever came before it. One
 * that is not known may be an option or not. `+nightly` chooses cargo's toolchain; `A=b` is an assignment.
 */
export function startsBehind(
  words: readonly (string | undefined)[],
  options: Pick<SubCommandEntry, "flags" | "values"> | undefined,
): readonly number[] {
  const found = new Set<number>();
  const reached = new Set([0]);
  for (const at of reached) {
    if (at >= words.length) continue;
    const word = words[at];
    const isOption = word !== undefined && /^[-+]|^[A-Za-z_]\w*=/.test(word);
    if (!isOption) found.add(at);
    if (word === "--") found.add(at + 1);
    if (word !== undefined && (!isOption || word === "--")) continue;
    const takes = word === undefined ? undefined : takesValue(word, options);
    if (takes !== true) reached.add(at + 1);
    if (takes !== false) reached.add(at + 2);
  }
  return [...found].filter((at) => at < words.length);
}

export const runsNext: ReadonlySet<string> = new Set(
  launchers.flatMap(({ names, registry }) => (registry === "npm" ? names.filter((name) => !name.includes(" ")) : [])),
);

export const sameProgram: readonly (readonly string[])[] = [
  ["pip", "pip3"],
  ["python", "python3", "python2"],
  ["node", "nodejs"],
];
