/**
 * One line a call and a rule about it. The words are what happens in the six modes of `legend.ts` when the rule
 * stands under deny, under ask and under allow in a layer that may say so; then when it is granted for the
 * session, and when it says nothing: that is also what an allow rule of a project that nobody trusts comes to.
 */
export interface LayerLine {
  readonly call: string;
  readonly rule: string;
  readonly deny: string;
  readonly ask: string;
  readonly allow: string;
  readonly grant: string;
  readonly silent: string;
}

const line = (
  call: string,
  rule: string,
  ...[deny, ask, allow, grant, silent]: [deny: string, ask: string, allow: string, grant: string, silent: string]
): LayerLine => ({ call, rule, deny, ask, allow, grant, silent });

export const layerLines: readonly LayerLine[] = [
  //                                                           deny      ask       allow     grant     silent
  line("read src/sum.ts", "Read(/src/**)", "DDDDDD", "QQQMQQ", "AAAAAA", "AAAAAA", "++++++"),
  line("grep sum src", "Grep", "DDDDDD", "QQQMQQ", "AAAAAA", "AAAAAA", "++++++"),
  line("bash ls src", "Bash(ls:*)", "DDDDDD", "QQQMQQ", "AAAAAA", "AAAAAA", "++++++"),
  line("read /etc/hosts", "Read(//etc/hosts)", "DDDDDD", "QQQMQQ", "AAAAAA", "AAAAAA", "???n+?"),
  line("edit src/sum.ts", "Edit(/src/**)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "?+pn++"),
  line("edit src/sum.ts", "Edit", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "?+pn++"),
  line("write src/new.ts", "Edit(new.ts)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "?+pn++"),
  line("patch src/sum.ts", "Edit(/src/**)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "?+pn++"),
  line("move src/sum.ts src/total.ts", "Edit(/src/**)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn++"),
  line("delete src/sum.ts", "Delete(/src/**)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn+?"),
  // Who may not edit a file may not delete it; who may edit it still asks before deleting it.
  line("delete src/sum.ts", "Edit(/src/**)", "DDDDDD", "QQpMQQ", "??pn+?", "??pn+?", "??pn+?"),
  line("bash touch src/new.ts", "Edit(/src/**)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "?+pn++"),
  line("bash npm test", "Bash(npm test:*)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn++"),
  line("bash npm test && ls", "Bash(npm test)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn++"),
  line("bash npm test && npm install", "Bash(npm test)", "DDDDDD", "QQpMQQ", "??pn+?", "??pn+?", "??pn+?"),
  line("bash npm install", "Bash(npm install)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn+?"),
  line("bash rm -rf node_modules", "Bash(rm -rf node_modules)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn+?"),
  line("bash frobnicate x", "Bash(frobnicate:*)", "DDDDDD", "QQpMQQ", "AApAAA", "AApAAA", "??pn+?"),
  // The host is allowed, and what is left is a program that runs.
  line(
    "bash curl https://example.com",
    "WebFetch(domain:example.com)",
    "DDDDDD",
    "QQpMQQ",
    "??pn+A",
    "??pn+A",
    "??pn+?",
  ),
  // Only a saved rule allows what loses work: a grant for the session does not.
  line("bash git reset --hard", "Bash(git reset --hard)", "DDDDDD", "QQpMQQ", "AApAAA", "ddpddd", "ddpddd"),
  // Protected paths ask whatever is allowed.
  line("edit package-lock.json", "Edit(package-lock.json)", "DDDDDD", "QQpMQQ", "!!pN!!", "!!pN!!", "!!pN!!"),
  line("write .vscode/tasks.json", "Edit(/.vscode/**)", "DDDDDD", "QQpMQQ", "!!pN!!", "!!pN!!", "!!pN!!"),
  line("bash echo x > .mcp.json", "Edit(.mcp.json)", "DDDDDD", "QQpMQQ", "!!pN!!", "!!pN!!", "!!pN!!"),
  // Secrets, state and escapes stay closed; only a denial may speak before that.
  line("read .env", "Read(.env)", "DDDDDD", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx"),
  line("bash cat .env", "Bash(cat .env)", "DDDDDD", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx"),
  line("write .gauntlet/settings.json", "Edit(/.gauntlet/**)", "DDDDDD", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx"),
  line("write ../x", "Edit(//**)", "DDDDDD", "xxxxxx", "xxxxxx", "xxxxxx", "xxxxxx"),
];
