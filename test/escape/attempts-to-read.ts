import { type Attempt, call, calls } from "./attempt.ts";

const busy = /Device or resource busy|Read-only file system|Operation not permitted|Invalid cross-device link/;
const unseen = /No such file or directory/;

export const attemptsToRead: readonly Attempt[] = [
  { name: "a key in the home directory", text: (w) => `cat ${w.home}/.ssh/id_rsa`, says: unseen },
  { name: "the home directory of root", text: () => "ls /root/.ssh /root/.bashrc", says: unseen },
  { name: "the password file", text: () => "cat /etc/shadow", says: unseen },
  { name: "private keys of the machine", text: () => "ls /etc/ssl/private /etc/ssh", says: unseen },
  { name: "a file outside", text: (w) => `cat ${w.outside}/secret.txt`, says: unseen },
  { name: "a file outside through a link", text: () => "cat outside-link/secret.txt", says: unseen },
  { name: "a file outside by ..", text: () => "cat ../outside/secret.txt", says: unseen },
  {
    name: "a file outside through the root of a process",
    text: (w) => `for r in /proc/*/root; do cat $r${w.outside}/secret.txt; done`,
    says: unseen,
  },
  {
    name: "a file outside through the working directory of a process",
    text: () => "cat /proc/*/cwd/../outside/secret.txt",
    says: unseen,
  },
  {
    name: "a file outside by its handle",
    text: () => call(calls.handle, `0, "x" x 128, 0`),
    says: /errno 1$/m,
  },
  {
    name: "temporary files of others",
    text: () => "ls -A /tmp | grep -v escape-; ls -A /var/tmp /run/user",
    says: unseen,
  },
  { name: "the environment of host processes", text: () => "cat /proc/*/environ | tr '\\0' '\\n'", says: /HOME=/ },
  { name: "its own environment", text: () => "env; declare -p", says: /HOME=/ },
  { name: "a masked file", text: () => "cat .env; wc -c < .env", says: /^0$/m },
  { name: "a masked file through a link", text: () => "cat env-link; wc -c < env-link", says: /^0$/m },
  { name: "a masked file by its other name", text: () => "cat alias.txt; wc -c < alias.txt", says: /^0$/m },
  {
    name: "a masked file by a new hard link",
    text: () => "ln .env made-link; cat made-link",
    says: /cross-device|No such file/,
  },
  { name: "a masked file after a rename", text: () => "mv .env made-env; cat made-env", says: busy },
  {
    name: "a masked file through its own root",
    text: (w) => `cat /proc/self/root${w.workspace}/.env; wc -c < /proc/1/root${w.workspace}/.env`,
    says: /^0$/m,
  },
  {
    name: "a masked file through an open directory",
    text: () => `perl -e 'opendir(D, "."); chdir(*D) or die; open(F, "<", ".env"); print <F>, "read\\n"'`,
    says: /^read$/m,
  },
  {
    name: "a masked file without its mount",
    text: () => `umount .env; ${call(calls.umount2, '".env", 2')}; cat .env`,
    says: /errno 1$/m,
  },
  {
    name: "a masked file by copy of the directory",
    text: () => "cp -al . /tmp/copy; cp -a . /tmp/copy2; cat /tmp/copy*/.env; echo end",
    says: /^end$/m,
  },
  { name: "a masked directory", text: () => "ls -A private | wc -l; cat private/key", says: unseen },
  {
    name: "a masked directory after a rename",
    text: () => "mv private made-private; cat made-private/key",
    says: busy,
  },
  {
    name: "every file that there is",
    text: (w) => `grep -rs ${w.token.slice(0, 8)} / --exclude-dir=proc --exclude-dir=usr; echo end`,
    says: /^end$/m,
  },
  { name: "the disk itself", text: () => "ls /dev; ls /dev/vda /dev/sda /dev/mem /dev/kmsg /sys/block", says: unseen },
  { name: "the kernel's log", text: () => "dmesg 2>&1 | head -1; cat /proc/kmsg", says: /not permitted|denied/i },
];
