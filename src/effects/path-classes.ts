import type { PathClass } from "../contract/gate.ts";
import { rowsOf } from "../programs/flag-lists.ts";

/**
 * A kind of path that the gate treats with care. A pattern is a name anywhere, a run of names anywhere
 * (`.docker/config.json`), or starts at the root of the disk. `*` is any text. What is below a match belongs to it.
 */
export interface PathClassEntry {
  readonly class: Exclude<PathClass, "hidden" | "committed">;
  readonly what: string;
  readonly patterns: readonly string[];
  readonly except?: readonly string[];
  /** Below these runs of names the patterns mean nothing: installed packages ship test keys. */
  readonly exceptBelow?: readonly string[];
  /** Counts above a workspace root as well. A project may lie below `~/.work`, but not below `~/.ssh`. */
  readonly aboveRoot?: boolean;
}

/**
 * The first entry that matches decides, so the closed classes stand first. All names are lower case. Lists of public
 * certificates are excepted, as without them no program that brings its list connects. `exceptBelow` has whole runs: a
 * directory that a project merely calls `vendor` or `site-packages` holds what people put there.
 */
export const pathClasses: readonly PathClassEntry[] = rowsOf(
  `
  state; what settings and state of this runtime; patterns .gauntlet /etc/gauntlet
  secret; what environment file; patterns .env .env.* .env-* .env_* .envrc .envrc.* .envrc-* .envrc_* *.env; except
    *.example *.sample *.template *.dist example.env sample.env template.env
  secret; what private key or key store; patterns id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p12 *.pfx *.jks
    *.keystore *.ppk *.kdbx *.p8 ssh_host_*_key *.agekey .vault_pass*; except *.pub cacert.pem cacerts.pem
    ca-bundle.pem *-ca-bundle.pem ca-certificates.pem global-bundle.pem roots.pem; exceptBelow node_modules
    lib*/python*/site-packages lib*/python*/dist-packages vendor/bundle/ruby/*/gems
  secret; what credentials; aboveRoot; patterns .ssh .gnupg .aws .azure .config/gcloud .config/gh .config/hub
    .config/op .config/git/credentials .docker/config.json .dockercfg .kube kubeconfig kubeconfig.yaml kubeconfig.yml
    *.kubeconfig .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .m2/settings.xml
    .m2/settings-security.xml .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d .terraformrc
    *.tfvars *.tfvars.json *.tfstate *.tfstate.backup .vault-token .boto .s3cfg .password-store .local/share/keyrings
    credentials.json credentials.yml credentials.yaml client_secret*.json service-account*.json service_account*.json
    serviceaccount*.json secrets.json secrets.yml secrets.yaml secrets.toml master.key
  secret; what history or system secret; patterns .*_history .lesshst /etc/shadow /etc/shadow- /etc/gshadow
    /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private
  protected; what git internals that run or redirect; patterns .git .git/hooks .git/config .git/config.worktree
    .git/info .git/modules .git/worktrees .git/commondir .git/objects/info/alternates .gitmodules .gitattributes
    .gitconfig .gitconfig.* .config/git .githooks .git-hooks .husky .huskyrc .huskyrc.* husky.config.*
    .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml prek.toml .lefthook .lefthook-local
    lefthook.yml lefthook.yaml lefthook.json lefthook.jsonc lefthook.toml .lefthook.* lefthook-local.yml
    lefthook-local.yaml lefthook-local.json lefthook-local.jsonc lefthook-local.toml .lefthook-local.*
    .config/lefthook.* .config/lefthook-local.* .overcommit.yml .local-overcommit.yml .simple-git-hooks.*
    simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.mjs simple-git-hooks.json captainhook.json
    .captainhook.json grumphp.yml grumphp.yml.dist .rusty-hook.toml
  protected; what agent or MCP configuration; patterns .claude .claude.json .cursor .cursorrules .cursorrules.* .codex
    .gemini .opencode opencode.json opencode.jsonc .agents .mcp.json .mcp.*.json mcp.json .continue .windsurf
    .windsurfrules .windsurfrules.* .cline .clinerules .clinerules-* .clinerules.* .roo .roomodes .roorules
    .roorules-* .kiro .goose .goosehints .junie .augment .augment-guidelines .amazonq .qwen .trae .factory .openhands
    .crush .crush.json crush.json .aider* agents.md agents.override.md agents.local.md claude.md claude.local.md
    gemini.md qwen.md .github/copilot-instructions.md .github/instructions .github/prompts .github/chatmodes
    .github/agents
  protected; what editor configuration; patterns .vscode *.code-workspace .idea .zed .fleet .devcontainer
    .devcontainer.json .run .vs .nova .helix *.sublime-project .vimrc .vimrc.* .gvimrc _vimrc .lvimrc .local.vimrc
    .exrc _exrc .nexrc .nvimrc .nvimrc.lua .nvim.lua .nvim .vim .config/vim .vimspector.json .ycm_extra_conf.py
    .dir-locals.el .dir-locals-2.el .emacs .emacs.el .emacs.d .config/emacs .config/nvim .kakrc
  protected; what CI workflow; patterns .github/workflows .github/actions .gitea/workflows .forgejo/workflows
    .gitlab-ci.yml .gitlab-ci.* .gitlab-ci-*.yml .gitlab .circleci circle.yml jenkinsfile jenkinsfile.* .jenkins
    azure-pipelines.yml azure-pipelines.yaml azure-pipelines-*.yml .azure-pipelines .azuredevops
    bitbucket-pipelines.yml bitbucket-pipelines.yaml .travis.yml .drone.yml .drone.* .woodpecker .woodpecker.yml
    .woodpecker.* .buildkite buildkite.yml appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml cloudbuild.json
    cloudbuild-*.yaml buildspec.yml buildspec.yaml buildspec.json buildspec-*.yml appspec.yml appspec.yaml amplify.yml
    .cirrus.yml .cirrus.star .semaphore .teamcity .tekton .harness codemagic.yaml bitrise.yml wercker.yml .builds
    .build.yml .onedev-buildspec.yml .readthedocs.yml .readthedocs.yaml .ci
  protected; what start-up file; patterns .bashrc .bashrc.* .bash_profile .bash_login .bash_logout .bash_aliases
    .profile .profile.* .envrc .envrc.* .zshrc .zshrc.* .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc
    .tcshrc .xonshrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .autoenv .autoenv.* .autoenv_*
    .config/fish .config/zsh .config/nushell .config/powershell .config/direnv .inputrc .tmux.conf .tmux.conf.local
    .config/tmux .screenrc .gdbinit .gdbearlyinit .lldbinit .lldbinit-* .pdbrc .pdbrc.* .pythonrc .pythonrc.py
    .pythonstartup sitecustomize.py usercustomize.py .rprofile rprofile.site .renviron .irbrc .pryrc .byebugrc
    .iex.exs .ghci .ocamlinit .sbclrc .psqlrc .sqliterc .mongorc.js .mongoshrc.js .perldb .config/autostart
    .config/systemd .ripgreprc .curlrc .wgetrc
  protected; what package-manager or tool-chain configuration; patterns .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs
    .pnpmfile.mjs .pnpmfile.js pnpmfile.js pnpmfile.cjs pnpmfile.mjs .pnp.cjs .pnp.js .pnp.loader.mjs bunfig.toml
    .bunfig.toml pip.conf pip.ini .pip .config/pip .pydistutils.cfg uv.toml .config/uv poetry.toml pdm.toml .pdm.toml
    .pdm-python .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml .bundle/config .gemrc .condarc
    .mambarc nuget.config .mvn gradle-wrapper.properties .gradle/init.gradle .gradle/init.d .sbtopts .jvmopts .bazelrc
    .bazelrc.* user.bazelrc .bazeliskrc .bazelversion .mise mise/config.toml mise/config.*.toml .mise.toml mise.toml
    mise.*.toml .mise.*.toml .config/mise .config/mise.toml .config/mise.*.toml .rtx.toml .tool-versions .asdfrc
    .prototools devbox.json .flox
  lockfile; what lockfile; patterns package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb
    deno.lock cargo.lock poetry.lock pipfile.lock uv.lock pdm.lock composer.lock gemfile.lock go.sum flake.lock
    mix.lock pubspec.lock podfile.lock packages.lock.json gradle.lockfile
`,
  ["what", "aboveRoot", "patterns", "except", "exceptBelow"],
).map(({ names, what = [], aboveRoot, patterns = [], ...excepted }) => ({
  class: names[0] as PathClassEntry["class"],
  what: what.join(" "),
  patterns,
  ...(aboveRoot && { aboveRoot: true }),
  ...excepted,
}));
