/**
 * Every claim about safety, what enforces it, and the tests that show it. `npm run docs` writes
 * docs/reference/claims.md from it.
 */
export const claims: Readonly<Record<string, readonly Claim[]>> = {
  "The decision": [
    {
      claim: "The verdict of every action in every mode is a table; less confinement never gives a looser verdict.",
      by: "gate",
      tests: ["test/gate-matrix/matrix.test.ts", "test/gate-matrix/defaults.test.ts", "src/gate/risk-table.test.ts"],
    },
    {
      claim: "A deny rule beats every allow rule, in every layer and mode and for commands of any length.",
      by: "gate",
      tests: ["test/gate-matrix/matrix.test.ts", "test/fuzz/rules.test.ts"],
    },
    {
      claim: "The gate asks in eight fixed steps; no step cancels an earlier one.",
      by: "gate",
      tests: ["test/gate-matrix/matrix.test.ts", "src/gate/judge.test.ts"],
    },
    {
      claim:
        "One policy for all tools: a path that is denied to `edit` or `read` is denied to `bash`, `patch` and `grep`.",
      by: "gate, ports, sandbox",
      tests: ["test/gate-matrix/matrix.test.ts", "test/gate-matrix/rules.test.ts"],
    },
    { claim: "No command of the harmful corpus is allowed.", by: "gate", tests: ["test/gate-matrix/corpus.test.ts"] },
    {
      claim:
        "Compositions of harmless commands, and commands with random flags, change nothing outside the sandbox when they are allowed.",
      by: "gate",
      tests: ["test/fuzz/allowed-runs.test.ts"],
    },
    {
      claim:
        "Broken, dead, contradictory and too broad rules are reported at load; an invalid deny rule refuses everything.",
      by: "gate, settings",
      tests: ["src/gate/rules/compile-rules.test.ts", "src/settings/unreliable-settings.test.ts"],
    },
    {
      claim: "A failing gate denies, a failing classifier asks, a failing hook denies.",
      by: "gate",
      tests: ["src/gate/judge.test.ts", "test/journey/hooks.test.ts"],
    },
    {
      claim: "Without a user, a question is a denial with its own code; it never waits and never allows.",
      by: "session",
      tests: ["test/journey/one-call.test.ts", "src/cli/commands/pipe.test.ts", "test/escape/attacks/others.ts"],
    },
    {
      claim: "No argument of a call disables the sandbox, changes the mode or adds a directory.",
      by: "intent, registry",
      tests: ["test/escape/attacks/sandbox-must-haves.ts", "test/escape/attacks/claude-code.ts"],
    },
    {
      claim: "A tool that reports false effects changes nothing.",
      by: "ports",
      tests: ["test/journey/dishonest-tool.test.ts"],
    },
    {
      claim: "Stages reach files, processes and each other only as the import rules allow.",
      by: "import rules",
      tests: ["test/repository/import-rules.test.ts"],
    },
  ],
  "Shell text": [
    {
      claim: "The text is parsed once, in process; the arguments are those that bash passes.",
      by: "effects",
      tests: ["src/shell/parse-shell.test.ts", "src/shell/words-like-bash.test.ts"],
    },
    {
      claim:
        "Every simple command is judged separately, also in lists, loops, substitutions, `bash -c`, wrappers and here-documents; the strictest verdict decides.",
      by: "effects",
      tests: ["src/shell/analyse-shell.test.ts", "test/fuzz/shell.test.ts"],
    },
    {
      claim:
        "Programs are allowed by sub-command, flag and role of operands; an unknown or abbreviated flag is unknown.",
      by: "effects",
      tests: ["src/shell/tables.test.ts", "src/programs/git/read-git.test.ts", "src/shell/harmful-commands.test.ts"],
    },
    {
      claim: "`sed`, `awk`, `jq` and `yq` programs count as reading only when they only print.",
      by: "effects",
      tests: ["src/programs/tables/scripts.test.ts", "src/shell/tables.test.ts"],
    },
    {
      claim:
        "Deleting, losing work, installing, connecting, gaining rights, changing configuration and running downloads are recognized.",
      by: "effects",
      tests: ["src/shell/dangerous.test.ts", "src/programs/git/read-git.test.ts"],
    },
    {
      claim:
        "A download that the same text runs is recognized through pipes, loops, `xargs`, substitutions, variables, files, copies and wrappers.",
      by: "effects",
      tests: ["src/shell/downloaded-code.test.ts"],
    },
    {
      claim:
        "Separators, look-alike blanks, quotes, expansions, redirections, assignments, built-ins, wrappers, pagers, archives, package managers, `/proc` and `/dev` do not bypass the rules.",
      by: "gate, sandbox",
      tests: ["test/escape/attacks/shell-techniques.ts"],
    },
    {
      claim: "Exactly the judged bytes run, in a fresh shell without start-up files.",
      by: "sandbox",
      tests: ["test/escape/backend-suite.ts", "test/escape/backend-waiting.test.ts"],
    },
  ],
  "Paths and files": [
    {
      claim: "Paths are resolved as the kernel does, and compared by component.",
      by: "effects",
      tests: ["src/effects/resolve-path.test.ts", "test/fuzz/paths.test.ts", "test/escape/attacks/claude-code.ts"],
    },
    {
      claim:
        "Rules match the written and the resolved path; denying ignores letter case and Unicode form, allowing does not.",
      by: "gate",
      tests: ["src/gate/rules/path-pattern.test.ts", "test/fuzz/rules.test.ts", "test/escape/attacks/cursor.ts"],
    },
    {
      claim: "Links, `..`, loops, missing names, pipes, devices and unusual names are resolved or refused.",
      by: "effects, ports, sandbox",
      tests: ["test/escape/attacks/path-techniques.ts", "src/host/files/files.test.ts", "src/shell/devices.test.ts"],
    },
    {
      claim: "A file port never leaves its permitted path while links are exchanged.",
      by: "ports",
      tests: ["src/host/files/race.test.ts"],
    },
    {
      claim: "A call that changed between question and answer does not run.",
      by: "session, gate",
      tests: [
        "test/journey/asking.test.ts",
        "test/escape/attacks/path-techniques.ts",
        "test/escape/attacks/cross-product.ts",
      ],
    },
    {
      claim:
        "Secrets and Gauntlet's state are closed to every tool in any letter case, through links, and as backup copies; commands and searches find them empty.",
      by: "gate, ports, sandbox",
      tests: [
        "src/effects/classify-path.test.ts",
        "src/tools/search/search.test.ts",
        "src/sandbox/plan/mount-plan.test.ts",
        "src/sandbox/plan/follow-links.test.ts",
      ],
    },
    {
      claim: "The user's own skills can be read and never written, and lead to no other part of the state.",
      by: "effects, gate, sandbox",
      tests: ["test/journey/own-skills.test.ts"],
    },
    {
      claim: "A directory that a command made unreadable is hidden from the next command.",
      by: "scan, sandbox",
      tests: ["test/escape/attacks/second-round.ts"],
    },
    {
      claim: "A name that is not valid text is still recognized; no command runs while it cannot be hidden.",
      by: "sandbox",
      tests: ["src/host/files/scan.test.ts", "src/sandbox/plan/mount-plan.test.ts"],
    },
    {
      claim:
        "A search for secret shapes asks; a search outside the workspace is denied, except in the system's own directories.",
      by: "effects, gate",
      tests: ["src/effects/secret-query.test.ts", "test/gate-matrix/matrix.test.ts"],
    },
    {
      claim: "A refusal reveals nothing about unread files.",
      by: "session",
      tests: ["test/journey/refusal-leaks.test.ts"],
    },
    {
      claim: "Writing is atomic, only after a read, and refused when the file changed since.",
      by: "tools, ports",
      tests: ["src/tools/file/change-tools.test.ts", "src/host/files/files.test.ts"],
    },
  ],
  "The repository": [
    {
      claim: "Project settings only narrow: they set no mode, sandbox, network, endpoint or environment.",
      by: "settings",
      tests: [
        "src/settings/load-settings.test.ts",
        "test/escape/attacks/trust.ts",
        "test/escape/attacks/claude-code.ts",
      ],
    },
    {
      claim:
        "Rules, hooks and directories of a project have no effect until a user trusts exactly that item; any change ends the trust.",
      by: "settings",
      tests: [
        "src/settings/trust.test.ts",
        "test/journey/policy.test.ts",
        "src/cli/commands/policy.test.ts",
        "test/escape/attacks/cursor.ts",
        "test/escape/attacks/gemini.ts",
      ],
    },
    {
      claim: "Nothing of the project runs when a session opens.",
      by: "session",
      tests: ["test/escape/attacks/claude-code.ts", "test/escape/attacks/cross-product.ts"],
    },
    {
      claim: "Settings written during a session have no effect in it; only a user can write the trust store.",
      by: "settings, gate",
      tests: ["test/escape/attacks/trust.ts", "test/journey/policy.test.ts"],
    },
    {
      claim: "Git commands that only read, and all git in direct mode, run no program that the repository names.",
      by: "sandbox",
      tests: [
        "test/journey/git.test.ts",
        "src/sandbox/git/neutral-git.test.ts",
        "test/escape/attacks/codex.ts",
        "test/escape/attacks/second-round.ts",
      ],
    },
    {
      claim:
        "A secret that was not committed at the start stays hidden; a committed file that gained a secret is shown as committed.",
      by: "gate, sandbox",
      tests: ["test/journey/committed-secrets.test.ts"],
    },
    {
      claim: "Git does not record the cover of a hidden file.",
      by: "sandbox, gate",
      tests: ["test/journey/committed-secrets.test.ts", "test/journey/git.test.ts"],
    },
    {
      claim:
        "Secret values of committed files are redacted in observations, log and artifacts, also as Base64, hex and in URLs.",
      by: "log, execution",
      tests: ["src/log/redact/known-values.test.ts", "test/journey/committed-secrets.test.ts"],
    },
    {
      claim: "With `secrets.hideCommitted`, allowed git commands print no version of a closed file.",
      by: "sandbox, gate",
      tests: ["test/journey/git.test.ts", "test/differential/git-history.test.ts"],
    },
    {
      claim:
        "An MCP server reads no committed secret, in files or in git's object store, unless its entry names the repository.",
      by: "gate",
      tests: ["test/mcp/isolation.test.ts"],
    },
    {
      claim: "A commit neither records a closed file as empty nor adds a new one.",
      by: "sandbox",
      tests: ["test/journey/git.test.ts"],
    },
    {
      claim: "Nested and bare repositories are not trusted; a command that makes one asks.",
      by: "effects, gate",
      tests: ["src/programs/git/read-git.test.ts", "test/escape/attacks/cursor.ts"],
    },
    {
      claim:
        "A `.git` file opens a repository outside the workspace only if that repository names the workspace too; configuration, hooks and other worktrees stay closed.",
      by: "effects, gate, sandbox",
      tests: [
        "src/host/git/work-trees.test.ts",
        "src/effects/linked-repository.test.ts",
        "test/journey/worktrees.test.ts",
        "test/escape/attacks/second-round.ts",
      ],
    },
    {
      claim: "A link that a command leaves among git's own files is removed and reported.",
      by: "execution, host",
      tests: ["test/journey/planted-files.test.ts"],
    },
    {
      claim: "A file in the workspace never counts as a system program.",
      by: "sandbox",
      tests: ["test/escape/attacks/codex.ts"],
    },
  ],
  "Questions, answers, hooks": [
    {
      claim:
        "Keys typed while a question appears do not answer it and are not lost; one letter allows at most this call.",
      by: "terminal",
      tests: ["test/surfaces/writing-and-answering.test.ts", "src/tui/questions/permission-dialog.test.tsx"],
    },
    {
      claim:
        "Keys that arrive together cannot confirm a question that is not drawn yet; pasted text never counts as keys.",
      by: "terminal",
      tests: [
        "src/tui/questions/permission-dialog.test.tsx",
        "src/tui/questions/elicitation-dialog.test.tsx",
        "src/tui/input/take-apart.test.ts",
      ],
    },
    {
      claim:
        "A question shows the whole command or diff, resolved targets, every part, and control characters visibly.",
      by: "gate, command line",
      tests: ["src/gate/prompt.test.ts", "src/cli/commands/call.test.ts"],
    },
    {
      claim: "An answer is bound to the request and its digest, is used once, and expires.",
      by: "session",
      tests: ["test/journey/asking.test.ts", "test/journey/recovery.test.ts", "src/gate/gate.test.ts"],
    },
    {
      claim:
        "A saved answer covers exactly what was shown: for the session in that directory, or permanently in the user's own file.",
      by: "gate, session",
      tests: [
        "test/journey/remembering.test.ts",
        "test/gate-matrix/rules.test.ts",
        "test/gate-matrix/suggested-rules.test.ts",
      ],
    },
    {
      claim:
        "Approving a write outside the workspace opens that directory for the session, never a parent of the workspace or home; secrets and deletions there stay closed.",
      by: "gate, session",
      tests: ["test/journey/outside-directories.test.ts"],
    },
    {
      claim: "Tool output, an intent's reason and a tool's description are never an approval.",
      by: "session",
      tests: ["test/journey/trust.test.ts", "test/escape/attacks/cross-product.ts"],
    },
    {
      claim: "A hook overrides no deny rule, ask rule, protected path or plan mode.",
      by: "gate",
      tests: ["src/gate/judge.test.ts", "test/journey/hooks.test.ts"],
    },
    {
      claim: "An input that a hook changed is validated and judged again; nothing changes after an approval.",
      by: "session",
      tests: ["test/journey/hooks.test.ts"],
    },
    {
      claim: "Hooks are confined like commands, and every run is recorded.",
      by: "sandbox, log",
      tests: ["test/journey/hooks.test.ts"],
    },
  ],
  "The sandbox": [
    {
      claim:
        "A command sees the workspace, the system and the toolchains; no home directory, and no `/tmp`, `/run` or state of others.",
      by: "mounts",
      tests: ["test/escape/bubblewrap.test.ts", "test/escape/attacks/sandbox-must-haves.ts"],
    },
    {
      claim: "`/tmp` and `/var/tmp` belong to the session, for commands and file tools.",
      by: "mounts, path resolution",
      tests: ["test/journey/scratch.test.ts"],
    },
    {
      claim: "Of the home directory, a command without network sees only caches of known package managers, read-only.",
      by: "mounts",
      tests: ["test/journey/caches.test.ts"],
    },
    {
      claim: "Only planned mounts exist, also while directories are exchanged.",
      by: "kernel's mount table",
      tests: ["test/escape/exchanged-directories.test.ts", "src/sandbox/run/mount-table.test.ts"],
    },
    {
      claim:
        "A command writes only to permitted paths; protected paths in direct mode resist renames, links and exchanged directories, also with several runtimes.",
      by: "mounts, placeholders",
      tests: [
        "test/escape/bubblewrap.test.ts",
        "src/sandbox/plan/mount-plan.test.ts",
        "src/sandbox/run/placeholders.test.ts",
        "test/escape/shared-stand-ins.test.ts",
        "test/crash/kill-server.test.ts",
      ],
    },
    {
      claim: "Writes of a direct command to unprotected paths are found afterwards and reported.",
      by: "scan",
      tests: [
        "test/escape/attacks/sandbox-must-haves.ts",
        "test/journey/commands.test.ts",
        "src/host/files/scan.test.ts",
      ],
    },
    {
      claim:
        "It has no capabilities and gains none, also as root; no user namespace, mount or other process is reachable.",
      by: "namespaces, capabilities",
      tests: ["test/escape/bubblewrap.test.ts"],
    },
    {
      claim: "Dangerous system calls are refused in every calling convention.",
      by: "seccomp",
      tests: ["test/escape/bubblewrap.test.ts", "src/sandbox/plan/seccomp.test.ts"],
    },
    {
      claim: "It creates no set-user-ID or set-group-ID file and no device.",
      by: "seccomp",
      tests: ["test/escape/bubblewrap.test.ts", "test/escape/attacks/sandbox-must-haves.ts"],
    },
    {
      claim: "No socket of the machine is reachable; with `sandbox.strictSockets` no unix socket at all.",
      by: "mounts, network namespace, seccomp",
      tests: [
        "test/escape/bubblewrap.test.ts",
        "test/escape/backend-strict.test.ts",
        "test/escape/attacks/cross-product.ts",
      ],
    },
    {
      claim: "Its environment is an allow-list, without variables or descriptors of the runtime.",
      by: "sandbox",
      tests: ["src/sandbox/plan/environment.test.ts", "test/escape/backend-suite.ts"],
    },
    {
      claim: "The number of processes is limited.",
      by: "user namespace, or control group for root",
      tests: ["test/escape/bubblewrap.test.ts", "src/sandbox/run/control-group.test.ts"],
    },
    {
      claim: "The whole process tree ends with the call, the session and the runtime, also after `kill -9`.",
      by: "pid namespace",
      tests: ["test/escape/backend-suite.ts", "test/escape/crash.test.ts", "test/journey/commands.test.ts"],
    },
    {
      claim: "One command cannot affect the next; a shell that was started ahead matches its plan exactly.",
      by: "used once, found by its plan",
      tests: ["test/escape/backend-waiting.test.ts"],
    },
    {
      claim: "`gauntlet doctor` starts a shell and reports what the kernel enforces.",
      by: "namespaces, capabilities, seccomp",
      tests: ["src/sandbox/examine-sandbox.test.ts"],
    },
    {
      claim: "Without a sandbox a call that needs one always asks, and every observation says so.",
      by: "gate",
      tests: ["test/gate-matrix/matrix.test.ts", "src/sandbox/create-sandbox.test.ts"],
    },
  ],
  Transactions: [
    {
      claim:
        "Writes of a foreground command reach the workspace only after its changes are judged; a stopped or refused command leaves none.",
      by: "overlay, session",
      tests: ["test/transactions/attacks.test.ts", "test/transactions/judge.test.ts"],
    },
    {
      claim:
        "Each mode applies, asks or discards as its table says; deny rules, protected paths, conflicts and links out of the workspace hold in every mode.",
      by: "gate",
      tests: ["test/transactions/judge.test.ts"],
    },
    {
      claim: "An approval holds for exactly the change set that was shown; an edit in the workspace meanwhile wins.",
      by: "gate, apply",
      tests: ["test/transactions/attacks.test.ts"],
    },
    {
      claim:
        "A disguised change (another name of a protected file, a directory that becomes a file, a program that git starts) is judged by its real effect.",
      by: "gate, capture",
      tests: ["test/transactions/disguised.test.ts"],
    },
    {
      claim: "Project code does not see a password or token in the address of a git remote.",
      by: "mount",
      tests: ["test/transactions/disguised.test.ts"],
    },
    {
      claim: "An apply that is killed at any step is finished or rolled back at the next start, never mixed.",
      by: "journal",
      tests: ["test/transactions/apply.test.ts", "test/transactions/attacks.test.ts"],
    },
    {
      claim: "A process that holds a file of a command open cannot write to it after the approval.",
      by: "copy",
      tests: ["test/transactions/attacks.test.ts"],
    },
    {
      claim:
        "A user sees every deletion; the model sees which changes were discarded, also for a command that moved to the background.",
      by: "session",
      tests: ["test/transactions/told.test.ts"],
    },
    {
      claim:
        "Without views, questions come before commands, with the reason; with `transactions.use: on` such commands are refused.",
      by: "session",
      tests: ["test/transactions/fallback.test.ts"],
    },
    {
      claim: "Ordinary work ends as in bare bash, as root and as a user, except for the listed limits.",
      by: "overlay",
      tests: ["test/transactions/battery.test.ts", "test/projects/generated.test.ts"],
    },
  ],
  "The network": [
    {
      claim:
        "No network unless the permit names a host; then only through the proxy, whatever variables say, and without a name server.",
      by: "network namespace",
      tests: ["test/journey/network.test.ts", "test/escape/bubblewrap.test.ts"],
    },
    {
      claim: "Hosts are compared byte for byte; anything but a plain host name is refused.",
      by: "proxy",
      tests: [
        "src/contract/network.test.ts",
        "src/sandbox/network/target.test.ts",
        "test/escape/attacks/claude-code.ts",
      ],
    },
    {
      claim: "A refused name is never looked up; an allowed one once, and only that address is used.",
      by: "proxy",
      tests: ["src/sandbox/network/proxy.test.ts"],
    },
    {
      claim: "Private, link-local, metadata and embedded addresses are refused, even with an approval.",
      by: "proxy",
      tests: ["src/sandbox/network/address-class.test.ts", "test/journey/network.test.ts"],
    },
    {
      claim: "An unnamed host asks, or is refused if no user can be asked.",
      by: "proxy, session",
      tests: ["test/journey/network-asking.test.ts"],
    },
    {
      claim: "An approved install reaches the registry that the question named and nothing else.",
      by: "proxy",
      tests: ["test/journey/network.test.ts"],
    },
    {
      claim: "Every connection is an event; one that cannot be recorded is closed.",
      by: "log",
      tests: [
        "test/journey/network.test.ts",
        "src/execution/watch-command.test.ts",
        "src/sandbox/network/go-online.test.ts",
      ],
    },
  ],
  "Output and record": [
    {
      claim:
        "Text that could control a terminal or disguise its content reaches neither user nor model, and is stored as evidence.",
      by: "observation",
      tests: ["test/journey/trust.test.ts", "src/base/text.test.ts"],
    },
    {
      claim:
        "Secrets of known patterns are redacted before anything is stored or shown, also at the edges of long texts.",
      by: "log, observation",
      tests: [
        "src/log/redact/redact.test.ts",
        "src/observation/shown-text.test.ts",
        "src/observation/bound-content.test.ts",
      ],
    },
    {
      claim: "A page, excerpt or diff shows no part of a secret that the whole text holds.",
      by: "tools",
      tests: [
        "src/log/redact/find-secrets.test.ts",
        "src/tools/file/read-secrets.test.ts",
        "src/tools/search/search-secrets.test.ts",
      ],
    },
    {
      claim:
        "Edited, removed and added events are found, and names or artifacts that lead elsewhere; a removed tail is found if the index had seen it.",
      by: "log",
      tests: ["src/log/archive/verify-sessions.test.ts", "src/log/store/session-index.test.ts"],
    },
    {
      claim:
        "A session or index file with other tables, views or triggers than ours is refused, and verify reports damaged pages within a time limit; an imported session cannot replace a local one.",
      by: "log, compose",
      tests: ["test/replay/changed-files.test.ts", "test/store/imported-session.test.ts"],
    },
    {
      claim: "The start of a call is durable before its effect; after a crash nothing runs again.",
      by: "log, session",
      tests: ["test/journey/order.test.ts", "test/journey/recovery.test.ts", "test/crash/kill-pipe.test.ts"],
    },
    {
      claim: "Replay and policy trials run nothing.",
      by: "log, session",
      tests: ["test/replay/replay.test.ts", "test/journey/policy.test.ts"],
    },
    { claim: "State is readable by its owner only.", by: "log", tests: ["src/log/open-store.test.ts"] },
  ],
  "The model's side": [
    {
      claim:
        "No output of a provider turns a proposal into an execution; a call with incomplete arguments is not a proposal.",
      by: "provider, session",
      tests: ["test/journey/agent/evidence.test.ts", "src/provider/broken-streams.test.ts"],
    },
    {
      claim: "A provider cannot access tools, gate or session, and the loop runs nothing itself.",
      by: "import rules",
      tests: ["test/repository/import-rules.test.ts", "test/journey/agent/boundaries.test.ts"],
    },
    {
      claim: "Calls run only from an answer that ended well.",
      by: "provider, session",
      tests: [
        "src/provider/broken-streams.test.ts",
        "src/provider/tool-call-assembler.test.ts",
        "test/journey/agent/attacks.test.ts",
      ],
    },
    {
      claim: "Arguments of any depth, size or shape run nothing that was not judged, and end no session.",
      by: "session, intent",
      tests: ["test/journey/agent/attacks.test.ts", "src/base/nearest.test.ts", "src/tools/file/replace-text.test.ts"],
    },
    {
      claim: "Tool results are in the role of tools, between marks that other text cannot open or close.",
      by: "context",
      tests: [
        "test/journey/agent/projection.test.ts",
        "src/agent/context/delimit.test.ts",
        "src/agent/context/present-observation.test.ts",
      ],
    },
    {
      claim: "File names and messages cannot write facts, notes or summaries of the runtime.",
      by: "context",
      tests: ["test/journey/agent/attacks.test.ts", "src/agent/context/compaction.test.ts"],
    },
    {
      claim: "AGENTS.md and CLAUDE.md are advice: bounded, marked, and not read where the model could not read them.",
      by: "context, gate",
      tests: ["test/journey/agent/instructions.test.ts"],
    },
    {
      claim: "A project never chooses which model is asked, where, or what counts as a check.",
      by: "settings",
      tests: ["test/journey/agent/who-is-asked.test.ts"],
    },
    {
      claim:
        "A key comes from the environment and goes to its provider in one header, never in clear text or through a redirection to another machine.",
      by: "provider",
      tests: [
        "src/provider/sent-requests.test.ts",
        "src/provider/create-models.test.ts",
        "test/journey/agent/who-is-asked.test.ts",
      ],
    },
    {
      claim: "No key is in an event, artifact, error or message, also when the provider repeats it.",
      by: "provider, log",
      tests: [
        "src/provider/map-error.test.ts",
        "src/provider/broken-streams.test.ts",
        "test/journey/agent/two-providers.test.ts",
        "test/journey/agent/attacks.test.ts",
      ],
    },
    {
      claim: "Claims are checked against checks that ran after the last change.",
      by: "session",
      tests: [
        "src/agent/verification/check-claims.test.ts",
        "test/journey/agent/evidence.test.ts",
        "test/journey/agent/verification.test.ts",
      ],
    },
    {
      claim: "An exit code counts only if it is the check's own.",
      by: "session",
      tests: ["src/agent/verification/check-of-command.test.ts", "test/journey/agent/attacks.test.ts"],
    },
    {
      claim: "A claim that tests support says so when the session changed those tests.",
      by: "session",
      tests: ["test/journey/agent/attacks.test.ts"],
    },
    {
      claim:
        "An answer that a limit or filter ended is not done, and a run that requires checks ends well only with them.",
      by: "session, command line",
      tests: ["test/journey/agent/attacks.test.ts", "src/cli/run/run-exit-code.test.ts"],
    },
    {
      claim: "Limits in turns, tokens, money and time hold, also when a provider counts nothing or backwards.",
      by: "provider, session",
      tests: [
        "test/journey/agent/stops.test.ts",
        "test/journey/agent/attacks.test.ts",
        "src/provider/broken-streams.test.ts",
      ],
    },
    {
      claim: "Answers and errors are bounded in bytes and time; retries are bounded.",
      by: "host, session",
      tests: ["src/host/net/http-fetch.test.ts", "test/journey/agent/attacks.test.ts", "src/agent/loop/decide.test.ts"],
    },
    {
      claim: "Reading claims, commands, marks and lines takes time in proportion to their length.",
      by: "session, terminal",
      tests: [
        "src/agent/verification/check-claims.test.ts",
        "src/agent/context/delimit.test.ts",
        "src/tui/screen.test.ts",
      ],
    },
    {
      claim: "Keys of a user who is typing when a question appears do not answer it; Enter alone means no.",
      by: "terminal",
      tests: ["src/tui/questions/permission-dialog.test.tsx"],
    },
    {
      claim: "A file name that would control the terminal or forge a message is not offered.",
      by: "terminal",
      tests: ["src/tui/small-parts.test.ts"],
    },
    {
      claim: "Changes by a user or another session while a command runs are never undone with the command.",
      by: "execution, session",
      tests: ["test/journey/undo/direct.test.ts"],
    },
    {
      claim: "An undo that leaves a repository with missing objects is reported as failed.",
      by: "session",
      tests: ["test/journey/undo/transactions.test.ts"],
    },
    {
      claim: "An undo follows no link and keeps what it replaces; an imported session undoes nothing.",
      by: "ports, session",
      tests: ["test/journey/undo/refusals.test.ts", "test/journey/undo/imported.test.ts"],
    },
    {
      claim: "Approvals of a session do not apply in its fork.",
      by: "log",
      tests: ["test/journey/undo/fork.test.ts"],
    },
  ],
  "Servers, skills, editors": [
    {
      claim:
        "A server of the project has no effect before a user trusts exactly it; a change of its entry or of a file that it names ends the trust, also through the gateway and other names.",
      by: "settings",
      tests: [
        "test/mcp/trusted-files.test.ts",
        "src/settings/servers.test.ts",
        "test/mcp/desk.test.ts",
        "test/mcp/gateway-file.test.ts",
        "src/settings/held-name.test.ts",
      ],
    },
    {
      claim:
        "A broken server entry affects only itself, and what a repository makes us read at a start is bounded; a broken rule stops everything.",
      by: "settings",
      tests: ["src/settings/broken-servers.test.ts", "src/settings/unreliable-settings.test.ts"],
    },
    {
      claim: "A link in the project never decides what a server reads, writes or starts in.",
      by: "mcp, sandbox",
      tests: ["test/mcp/isolation.test.ts", "test/mcp/server-reach.test.ts"],
    },
    {
      claim:
        "A server's tool asks in every mode unless a rule or grant names it; its hints change nothing; a denial hides it.",
      by: "gate",
      tests: ["test/mcp/permissions.test.ts", "test/mcp/odd-servers.test.ts", "src/gate/rules/server-rules.test.ts"],
    },
    {
      claim: "A changed tool definition asks again and shows the difference, even if a rule allows it.",
      by: "mcp, gate",
      tests: ["test/mcp/changed-tools.test.ts", "test/mcp/accepting.test.ts", "src/mcp/tools/describe-change.test.ts"],
    },
    {
      claim:
        "A server's program has its own environment, reads no secret, and writes and reaches only what its entry names, never our state.",
      by: "sandbox",
      tests: ["test/mcp/isolation.test.ts", "test/mcp/server-reach.test.ts"],
    },
    {
      claim:
        "A downloaded server comes from the user's registries; nothing of the project runs in its place, and entries that could lead elsewhere get no registry.",
      by: "sandbox, mcp",
      tests: ["test/mcp/launchers.test.ts", "src/settings/package-launch.test.ts"],
    },
    {
      claim: "A question about a server's call shows the confinement of that server.",
      by: "gate, mcp",
      tests: ["test/mcp/server-reach.test.ts", "test/mcp/gateway-offers.test.ts"],
    },
    {
      claim: "A server that dies, hangs, floods or lies harms only its own call.",
      by: "mcp",
      tests: [
        "test/mcp/odd-servers.test.ts",
        "test/mcp/client/hostile.test.ts",
        "src/mcp/host/server-connection.test.ts",
      ],
    },
    {
      claim:
        "A server's text cannot control the terminal, stays data and is bounded; structured results are validated.",
      by: "mcp, observation",
      tests: ["test/mcp/odd-servers.test.ts", "src/base/text.test.ts", "test/mcp/client/output-check.test.ts"],
    },
    {
      claim: "A server's schemas are limited in size and depth, and validation has a deadline.",
      by: "mcp",
      tests: ["src/mcp/tools/schema.test.ts"],
    },
    {
      claim: "A socket is not shown to a server because its arguments name it.",
      by: "composition",
      tests: ["test/mcp/server-reach.test.ts"],
    },
    {
      claim:
        "Tokens are kept for one address, in the keychain or a 0600 file, and appear in no event, error or artifact.",
      by: "mcp, host",
      tests: ["src/host/state/credential-store.test.ts", "test/mcp/client/login.test.ts", "test/mcp/desk.test.ts"],
    },
    {
      claim:
        "An answer to a server's question goes to that server and not into the log; without a user the answer is no.",
      by: "session",
      tests: ["test/mcp/elicitation.test.ts", "test/surfaces/server-questions.test.ts"],
    },
    {
      claim:
        "A server's question cannot hide where an address leads; an answer that does not fit the form is not sent.",
      by: "contract, mcp",
      tests: [
        "src/contract/server/elicitation.test.ts",
        "src/mcp/host/plain-address.test.ts",
        "test/acp/elicitations.test.ts",
      ],
    },
    {
      claim: "Text that an editor attaches is data and opens no closed file; a cancelled prompt does nothing more.",
      by: "acp, session",
      tests: ["test/acp/embedded-texts.test.ts", "test/acp/cancel.test.ts", "test/acp/wire.test.ts"],
    },
    {
      claim: "Over HTTP our server answers only with the token, the right host and origin, within limits.",
      by: "host, mcp",
      tests: ["test/mcp/serve-http.test.ts", "test/mcp/serve-program.test.ts"],
    },
    {
      claim: "A client cannot approve for a user: it carries the question, or the call is refused.",
      by: "mcp, session",
      tests: ["test/mcp/serve.test.ts", "test/mcp/serve-program.test.ts"],
    },
    {
      claim: "An approval for a later call is used up by one call, also with several processes.",
      by: "session, host",
      tests: [
        "src/host/state/hold-lock.test.ts",
        "src/host/state/update-private-text.test.ts",
        "src/session/unanswered.test.ts",
        "test/mcp/serve.test.ts",
      ],
    },
    {
      claim: "A client does not read from the log what another client was given; a waiting question shows no secret.",
      by: "mcp",
      tests: ["test/mcp/serve.test.ts", "src/session/unanswered.test.ts"],
    },
    {
      claim: "A server's question reaches only the user whose call is running.",
      by: "mcp",
      tests: ["test/mcp/gateway-questions.test.ts"],
    },
    {
      claim:
        "Gateway resources and prompts are judged, recorded, redacted and bounded like calls; no server can take another's address or name.",
      by: "session, mcp",
      tests: [
        "test/mcp/gateway-offers.test.ts",
        "test/mcp/gateway-secrets.test.ts",
        "test/mcp/gateway-content.test.ts",
        "test/mcp/gateway-watching.test.ts",
        "test/mcp/gateway-questions.test.ts",
        "src/mcp/server/pages.test.ts",
        "src/mcp/server/gateway.test.ts",
        "test/mcp/serve-program.test.ts",
      ],
    },
    {
      claim:
        "An editor proposes and is asked like a user at a terminal; nothing runs in its terminal, and a server that it names gets no more than an identical entry of the user.",
      by: "acp, session",
      tests: ["test/acp/acp.test.ts", "src/acp/server-entries.test.ts"],
    },
    {
      claim:
        "A skill gives out only its own files, no secret and nothing that a rule closes; it narrows tools and never widens them.",
      by: "host, gate, registry",
      tests: ["test/journey/skills.test.ts"],
    },
    {
      claim:
        "A project's skill takes no name of the user's skills or of a server's prompt; reading its front matter is bounded.",
      by: "host, contract",
      tests: [
        "src/skills/parse-skill.test.ts",
        "src/skills/skill-desk.test.ts",
        "src/contract/app/borrowed-commands.test.ts",
      ],
    },
    {
      claim:
        "Scripts of an untrusted skill do not run in any mode when a command names them by path, pattern, link or directory.",
      by: "gate",
      tests: [
        "test/journey/skills.test.ts",
        "test/journey/skill-scripts.test.ts",
        "src/skills/untrusted-skills.test.ts",
      ],
    },
    {
      claim:
        "Any number of skill files costs a decision a bounded look; a folder that was not fully read is not trusted.",
      by: "host",
      tests: ["src/skills/untrusted-skills.test.ts"],
    },
    {
      claim:
        "Of two tools with the same name neither is offered; grants stay with the tool, denials hold for every name.",
      by: "registry, gate",
      tests: ["test/mcp/same-names.test.ts", "src/gate/rules/server-rules.test.ts"],
    },
  ],
};

export interface Claim {
  readonly claim: string;
  readonly by: string;
  readonly tests: readonly string[];
}
