import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";
import { hasFlag, isLiteral, refusing } from "./readings.ts";

/** Programs that say something about the machine, the user and the time. */
export const system: readonly ProgramEntry[] = [
  {
    names: ["pwd"],
    flags: flags("LP", "logical physical"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["pwd -L", "pwd -LP"], noMatch: ["pwd x"] },
  },
  {
    names: ["date"],
    flags: flags("uRs", "utc universal rfc-email resolution"),
    optional: ["-I", "--iso-8601"],
    values: { ...text("-d --date --rfc-3339 --set"), "-r": "list", "--reference": "list" },
    operands: refusing({ "-s": "sets the clock", "--set": "sets the clock" }, (call, place) => {
      const setting = call.operands.find((word) => !isLiteral(word) || !word.value.startsWith("+"));
      return setting === undefined
        ? readByRoles(call, { rest: "text" }, place)
        : notUnderstood("date with an operand sets the clock");
    }),
    examples: {
      match: ["date -R", "date -u +%s", "date -d yesterday", "date +'%Y %m'", "date -Iseconds"],
      noMatch: ["date -s x", "date 010100", "date --set=x", "date -f x", "date -us x"],
    },
  },
  {
    names: ["uname", "arch"],
    flags: flags(
      "asnrvmpio",
      "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
    ),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["uname -srm", "uname --machine"], noMatch: ["uname x", "uname --kern"] },
  },
  {
    names: ["nproc"],
    flags: flags("", "all"),
    values: text("--ignore"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["nproc --ignore=1", "nproc --all"], noMatch: ["nproc x"] },
  },
  {
    names: ["whoami", "groups", "logname", "tty", "users", "hostid", "sw_vers", "uuidgen", "cal", "ncal"],
    flags: flags("s", "silent quiet"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["groups root", "tty -s", "cal 2024"], noMatch: ["whoami -x", "tty --x"] },
  },
  {
    names: ["id"],
    flags: flags("aGgnruZz", "group groups name real user zero context"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["id -nG", "id -r -u"], noMatch: ["id --us"] },
  },
  {
    names: ["hostname", "dnsdomainname"],
    flags: flags("sfiI", "short fqdn long ip-address all-ip-addresses"),
    operands: refusing(
      {
        "-f": "may ask a name server",
        "-i": "may ask a name server",
        "--fqdn": "may ask a name server",
        "--long": "may ask a name server",
        "--ip-address": "may ask a name server",
      },
      (call, place) =>
        call.operands.length === 0
          ? readByRoles(call, {}, place)
          : notUnderstood("hostname with an operand renames the machine"),
    ),
    examples: {
      match: ["hostname -s", "hostname -I"],
      noMatch: ["hostname evil", "hostname -F x", "hostname -f"],
    },
  },
  {
    names: ["uptime"],
    flags: flags("ps", "pretty since"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["uptime -s", "uptime --pretty"], noMatch: ["uptime x"] },
  },
  {
    names: ["sleep"],
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["sleep 1", "sleep 0.5s"], noMatch: ["sleep -x"] },
  },
  {
    names: ["which", "whereis", "type", "help"],
    flags: flags("abmpstd"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["which ls", "type -a ls", "whereis -b ls", "help -d cd"], noMatch: ["which --x node"] },
  },
  {
    // The environment of a command is a short list made for it, so there is nothing in it to hide.
    names: ["printenv"],
    flags: flags("0", "null"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["printenv", "printenv PATH HOME"], noMatch: ["printenv --nul"] },
  },
  {
    names: ["locale"],
    flags: flags("amckv", "all-locales charmaps category-name keyword-name verbose"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["locale", "locale -a"], noMatch: ["locale --cat"] },
  },
  {
    names: ["getconf"],
    flags: flags("a"),
    operands: { first: ["text", "list"] },
    anyFlagReads: true,
    examples: {
      match: ["getconf PAGE_SIZE", "getconf PATH_MAX ."],
      noMatch: ["getconf -v x y", "getconf a b x"],
    },
  },
  {
    names: ["lscpu", "lsmem"],
    flags: flags("abBcJxyn", "all online bytes json hex physical noheadings summary"),
    optional: ["-e", "-p", "-C", "--extended", "--parse", "--caches"],
    operands: {},
    anyFlagReads: true,
    examples: { match: ["lscpu", "lscpu -J"], noMatch: ["lscpu -s /x", "lscpu x"] },
  },
  {
    names: ["lsb_release"],
    flags: flags("vidrcas", "id description release codename all short"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["lsb_release -a", "lsb_release -ds"], noMatch: ["lsb_release x"] },
  },
  {
    names: ["vmstat"],
    flags: flags("amswtSf"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["vmstat 1 2", "vmstat -s"], noMatch: ["vmstat -p x"] },
  },
  {
    names: ["free"],
    flags: flags("bkmghltvw", "bytes kilo mega giga kibi mebi gibi human si lohi total committed wide"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["free -w", "free -m -t"], noMatch: ["free -s 1", "free x"] },
  },
  {
    names: ["df"],
    flags: flags("ahHiklPTv", "all human-readable si inodes local no-sync portability print-type total"),
    optional: ["--output"],
    values: text("-B -t -x --block-size --type --exclude-type"),
    operands: { rest: "list" },
    anyFlagReads: true,
    examples: { match: ["df -k dst", "df -T --total"], noMatch: ["df --sync", "df --hum"] },
  },
  {
    names: ["lsblk"],
    flags: flags("abdfilmnprtsJPOAD", "all bytes nodeps fs json list noheadings output-all pairs paths raw"),
    values: text("-o --output"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["lsblk", "lsblk -f"], noMatch: ["lsblk --sysroot x", "lsblk x"] },
  },
  {
    names: ["findmnt"],
    flags: flags("lnJD", "list noheadings json df"),
    values: text("-o --output"),
    operands: {},
    anyFlagReads: true,
    examples: { match: ["findmnt -l", "findmnt -o SOURCE"], noMatch: ["findmnt -F x", "findmnt x"] },
  },
  {
    names: ["mount"],
    flags: flags("l"),
    operands: (call, place) =>
      call.operands.length === 0 ? readByRoles(call, {}, place) : notUnderstood("mount changes what the machine sees"),
    examples: { match: ["mount", "mount -l"], noMatch: ["mount a b", "mount -a", "mount -o bind a b"] },
  },
  {
    // Its own flags have no dash, and the ones with a dash only choose and print.
    names: ["ps"],
    verbatim: true,
    operands: (call, place) => {
      const odd = call.operands.find((word) => isLiteral(word) && !/^[\w,:%=+.-]*$/.test(word.value));
      if (odd !== undefined) return notUnderstood(`ps with ${odd.text} is not in the tables`);
      return readByRoles(call, { rest: "text" }, place);
    },
    anyFlagReads: true,
    examples: {
      match: ["ps aux", "ps -ef", "ps -o pid,ppid,cmd -p 1", "ps --sort=-rss -eo pid"],
      noMatch: ["ps -o 'a;b'"],
    },
  },
  {
    names: ["pgrep", "pidof"],
    flags: flags("lavwcfinoxsA", "list-name list-full inverse count full ignore-case newest oldest exact"),
    values: text("-d -P -u -U -g -G -t --delimiter --parent --euid"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["pgrep -l bash", "pidof bash"], noMatch: ["pgrep -F x", "pgrep --signal 9 x"] },
  },
  {
    names: ["pstree"],
    flags: flags("aAcgGhlnpStTuUZ", "arguments ascii show-pids"),
    values: text("-H"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["pstree -p", "pstree"], noMatch: ["pstree --x"] },
  },
  {
    names: ["lsof"],
    flags: flags("nPltUa"),
    optional: ["-i"],
    values: text("-p -c -u -d -s"),
    operands: (call, place) =>
      hasFlag(call, "-n")
        ? readByRoles(call, { rest: "list" }, place)
        : notUnderstood("lsof without -n asks name servers"),
    examples: { match: ["lsof -nP -iTCP:3000", "lsof -n a"], noMatch: ["lsof -i :3000", "lsof +D .", "lsof -n -r 2"] },
  },
  {
    names: ["ss"],
    flags: flags("tulnpaxesimo46HO", "tcp udp listening numeric processes all summary no-header"),
    operands: {},
    examples: { match: ["ss -tlnp", "ss -s"], noMatch: ["ss -K", "ss -r", "ss -F x", "ss -D x"] },
  },
  {
    names: ["netstat"],
    flags: flags("tulnpars46xWe", "tcp udp listening numeric programs all statistics"),
    needs: ["-n", "--numeric"],
    operands: {},
    examples: { match: ["netstat -tlnp"], noMatch: ["netstat -t", "netstat -nc"] },
  },
  {
    names: ["ip addr", "ip a", "ip address", "ip link", "ip route", "ip r", "ip neigh"],
    verbatim: true,
    operands: (call, place) => {
      const [verb, ...rest] = call.operands;
      const reads =
        verb === undefined || (isLiteral(verb) && /^(?:show|list|ls)$/.test(verb.value) && rest.length === 0);
      return reads
        ? readByRoles({ ...call, operands: [] }, {}, place)
        : notUnderstood("ip with that verb changes the network");
    },
    examples: {
      match: ["ip addr", "ip a show", "ip route"],
      noMatch: ["ip link set lo down", "ip addr add x", "ip netns exec x y"],
    },
  },
  {
    names: ["tput"],
    operands: { first: ["text"] },
    examples: { match: ["tput cols"], noMatch: ["tput -S", "tput a b"] },
  },
  {
    names: ["dpkg"],
    flags: flags("lLsS", "list listfiles status search print-architecture"),
    needs: ["-l", "-L", "-s", "-S", "--list", "--listfiles", "--status", "--search", "--print-architecture"],
    operands: { rest: "text" },
    examples: { match: ["dpkg -l", "dpkg -s bash"], noMatch: ["dpkg -i x.deb", "dpkg --root=x -l", "dpkg -r x"] },
  },
  {
    names: ["dpkg-query"],
    flags: flags("lLsSW", "list listfiles status search show"),
    values: text("-f --showformat"),
    operands: { rest: "text" },
    examples: {
      match: ["dpkg-query -W", "dpkg-query -l bash"],
      noMatch: ["dpkg-query --admindir=x -l", "dpkg-query -c x"],
    },
  },
  {
    names: ["mktemp"],
    flags: flags("duqt", "directory dry-run quiet"),
    values: text("-p --suffix"),
    optional: ["--tmpdir"],
    operands: (call, place) =>
      hasFlag(call, "-u", "--dry-run")
        ? readByRoles({ ...call, values: [] }, { rest: "text" }, place)
        : notUnderstood("mktemp makes a file under a name of its own"),
    examples: { match: ["mktemp -u"], noMatch: ["mktemp -q", "mktemp -dq"] },
  },
  {
    names: ["command"],
    flagsFirst: true,
    flags: ["-v", "-V"],
    needs: ["-v", "-V"],
    operands: { rest: "text" },
    examples: { match: ["command -v node"], noMatch: ["command ./x", "command -p ./x"] },
  },
];
