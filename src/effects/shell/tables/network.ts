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

/** Builtins that change what later words mean. */
export const shellChangers: readonly string[] = [
  ..."export unset set shopt alias unalias source . eval exec trap declare typeset local readonly enable".split(" "),
  ..."hash builtin read mapfile readarray getopts let umask ulimit pushd popd return break continue shift".split(" "),
];

/** Programs that run another one, given behind them. */
export const wrappers: ReadonlySet<string> = new Set(
  "sudo doas env command builtin exec nice nohup time timeout setsid stdbuf xargs busybox".split(" "),
);
