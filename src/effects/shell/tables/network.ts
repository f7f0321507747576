/** Programs whose business is another machine. Resolvers too: a name looked up is a message sent. */
export const networkPrograms: readonly string[] = [
  ..."curl wget aria2c http https ftp sftp scp ssh rsync telnet nc ncat netcat socat".split(" "),
  ..."ping ping6 traceroute dig host nslookup whois getent".split(" "),
  ..."gh glab aws gcloud az kubectl helm heroku vercel netlify fly terraform".split(" "),
];

/** What can bring a program in from elsewhere. */
export const downloaders: ReadonlySet<string> = new Set("curl wget aria2c http https fetch nc ncat ftp".split(" "));

/** Programs that ask for more rights than the user runs with. */
export const privilegePrograms: readonly string[] = ["sudo", "su", "doas", "pkexec", "runuser", "setpriv", "chroot"];

/** Builtins of bash. One whose call is not understood may have changed what later words mean. */
export const shellBuiltins: ReadonlySet<string> = new Set([
  ...". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown".split(
    " ",
  ),
  ..."echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout".split(" "),
  ..."mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times".split(
    " ",
  ),
  ..."trap true type typeset ulimit umask unalias unset wait".split(" "),
]);

/** Programs that run another one, given behind them. */
export const wrappers: ReadonlySet<string> = new Set(
  "sudo doas env command builtin exec nice nohup time timeout setsid stdbuf xargs busybox".split(" "),
);
