// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what shell text looks like
import {
  type Attack,
  bash,
  edit,
  everyMode,
  first,
  move,
  patch,
  read,
  remove,
  unasked,
  unlessAuto,
  write,
} from "./attack.ts";

/** One attempt for each expansion that was taken for reading. */
function expansion(command: string): Attack {
  return {
    title: `CVE-2026-29783 GHSA-g8r9-g2v8-jv6f ${command}`,
    steps: () => [bash(command)],
    agreed: "runs",
  };
}

const autoApprove = '{ "chat.tools.autoApprove": true }\n';

/** GitHub Copilot. */
export const copilot: readonly Attack[] = [
  expansion('echo ${a="$"}${b="$a(./evil.sh)"}${b@P}'),
  expansion("x=./evil.sh; v=x; ${!v}"),
  expansion("echo ${x:-$(./evil.sh)}"),
  expansion("echo ${x:=`./evil.sh`}"),
  expansion("y=a; echo ${y/a/$(./evil.sh)}"),
  expansion("echo ${x:+a}${x-$(echo $(./evil.sh))}"),
  expansion("a=(x); echo ${a[$(./evil.sh >&2; echo 0)]}"),
  expansion("x=abc; echo ${x:$(./evil.sh >&2; echo 0)}"),
  {
    title: "CVE-2025-53773 chat.tools.autoApprove by the file tools",
    steps: () => [
      first(read(".vscode/settings.json")),
      write(".vscode/settings.json", autoApprove),
      edit(".vscode/settings.json", "{}", autoApprove),
      patch("*** Begin Patch\n*** Update File: .vscode/settings.json\n@@\n-{}\n+hostile\n*** End Patch"),
      write(".vscode/tasks.json"),
      move("a.txt", ".vscode/launch.json"),
      remove(".vscode/settings.json"),
      write("sub/.vscode/settings.json", autoApprove),
      write("x.code-workspace", autoApprove),
    ],
    modes: everyMode,
    refused: everyMode,
  },
  {
    title: "CVE-2025-53773 chat.tools.autoApprove by commands",
    steps: () => [
      bash("echo '{}' > .vscode/settings.json"),
      bash("cp package.json .vscode/settings.json"),
      bash("mv package.json .vscode/tasks.json"),
      bash("tee .vscode/settings.json < a.txt"),
      bash("dd if=a.txt of=.vscode/settings.json"),
      bash("install -m 644 a.txt .vscode/settings.json"),
      bash("ln -sf ../a.txt .vscode/settings.json"),
      bash("rsync a.txt .vscode/"),
      bash("jq . package.json > .vscode/settings.json"),
      bash("git config --file .vscode/settings.json a.b c"),
      bash("rm -rf .vscode"),
      bash("mv .vscode old"),
    ],
    modes: everyMode,
    refused: unasked,
  },
  {
    title: "CVE-2025-53773 chat.tools.autoApprove by an agreed build step",
    prepare: (w) =>
      w.put("build.sh", `printf hostile > .vscode/settings.json; mv .vscode v; rm -rf .vscode\n${w.payload}\n`),
    steps: () => [bash("sh build.sh"), bash("sh ./build.sh | cat")],
    refused: unlessAuto,
    confined: true,
    agreed: "runs",
  },
];
