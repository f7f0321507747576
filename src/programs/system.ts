import { flags, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramEntry } from "./program-entry.ts";
import { hasFlag, isLiteral, refusing } from "./readings.ts";

/** Programs that say something about the machine, the user and the time. */
export const system: readonly ProgramEntry[] = [
  {
    names: ["pwd"],
    flags: flags("LP", "logical physical"),
    operands: {},
    anyFlagReads: true,
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
  },
  {
    names: ["uname", "arch"],
    flags: flags(
      "asnrvmpio",
      "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
    ),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["nproc"],
    flags: flags("", "all"),
    values: text("--ignore"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["whoami", "groups", "logname", "tty", "users", "hostid", "sw_vers", "uuidgen", "cal", "ncal"],
    flags: flags("s", "silent quiet"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["id"],
    flags: flags("aGgnruZz", "group groups name real user zero context"),
    operands: { rest: "text" },
    anyFlagReads: true,
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
  },
  {
    names: ["uptime"],
    flags: flags("ps", "pretty since"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["sleep"],
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["which", "whereis", "type", "help"],
    flags: flags("abmpstd"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    // The environment of a command is a short list made for it, so there is nothing in it to hide.
    names: ["printenv"],
    flags: flags("0", "null"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["locale"],
    flags: flags("amckv", "all-locales charmaps category-name keyword-name verbose"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["getconf"],
    flags: flags("a"),
    operands: { first: ["text", "list"] },
    anyFlagReads: true,
  },
  {
    names: ["lscpu", "lsmem"],
    flags: flags("abBcJxyn", "all online bytes json hex physical noheadings summary"),
    optional: ["-e", "-p", "-C", "--extended", "--parse", "--caches"],
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["lsb_release"],
    flags: flags("vidrcas", "id description release codename all short"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["vmstat"],
    flags: flags("amswtSf"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["free"],
    flags: flags("bkmghltvw", "bytes kilo mega giga kibi mebi gibi human si lohi total committed wide"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["df"],
    flags: flags("ahHiklPTv", "all human-readable si inodes local no-sync portability print-type total"),
    optional: ["--output"],
    values: text("-B -t -x --block-size --type --exclude-type"),
    operands: { rest: "list" },
    anyFlagReads: true,
  },
  {
    names: ["lsblk"],
    flags: flags("abdfilmnprtsJPOAD", "all bytes nodeps fs json list noheadings output-all pairs paths raw"),
    values: text("-o --output"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["findmnt"],
    flags: flags("lnJD", "list noheadings json df"),
    values: text("-o --output"),
    operands: {},
    anyFlagReads: true,
  },
  {
    names: ["mount"],
    flags: flags("l"),
    operands: (call, place) =>
      call.operands.length === 0 ? readByRoles(call, {}, place) : notUnderstood("mount changes what the machine sees"),
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
  },
  {
    names: ["pgrep", "pidof"],
    flags: flags("lavwcfinoxsA", "list-name list-full inverse count full ignore-case newest oldest exact"),
    values: text("-d -P -u -U -g -G -t --delimiter --parent --euid"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["pstree"],
    flags: flags("aAcgGhlnpStTuUZ", "arguments ascii show-pids"),
    values: text("-H"),
    operands: { rest: "text" },
    anyFlagReads: true,
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
  },
  {
    names: ["ss"],
    flags: flags("tulnpaxesimo46HO", "tcp udp listening numeric processes all summary no-header"),
    operands: {},
  },
  {
    names: ["netstat"],
    flags: flags("tulnpars46xWe", "tcp udp listening numeric programs all statistics"),
    needs: ["-n", "--numeric"],
    operands: {},
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
  },
  {
    names: ["tput"],
    operands: { first: ["text"] },
  },
  {
    names: ["dpkg"],
    flags: flags("lLsS", "list listfiles status search print-architecture"),
    needs: ["-l", "-L", "-s", "-S", "--list", "--listfiles", "--status", "--search", "--print-architecture"],
    operands: { rest: "text" },
  },
  {
    names: ["dpkg-query"],
    flags: flags("lLsSW", "list listfiles status search show"),
    values: text("-f --showformat"),
    operands: { rest: "text" },
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
  },
  {
    names: ["command"],
    flagsFirst: true,
    flags: ["-v", "-V"],
    needs: ["-v", "-V"],
    operands: { rest: "text" },
  },
];
