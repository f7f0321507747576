import { flags, listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { notUnderstood, type ProgramCall, type ProgramEntry } from "./program-entry.ts";
import { passesLines, refusing } from "./readings.ts";

/** Programs that print files and what is known about files. */
export const coreutilsRead: readonly ProgramEntry[] = [
  {
    names: ["cat"],
    flags: flags("AbeEnstTuv", "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    operands: { rest: "read" },
    anyFlagReads: true,
    output: passesLines("-u", "-s", "--squeeze-blank"),
  },
  {
    names: ["head"],
    flags: flags("qvz", "quiet silent verbose zero-terminated"),
    values: text("-n -c --lines --bytes"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    output: passesLines("-n", "--lines", "-#", "-q", "--quiet", "--silent", "-z", "--zero-terminated"),
  },
  {
    names: ["tail"],
    flags: flags("qvzfF", "quiet silent verbose zero-terminated retry"),
    optional: ["--follow"],
    values: text("-n -c --lines --bytes"),
    count: true,
    operands: refusing(
      { "-f": "never ends", "-F": "never ends", "--follow": "never ends", "--retry": "may never end" },
      { rest: "read" },
    ),
    anyFlagReads: true,
    output: passesLines("-n", "--lines", "-#", "-q", "--quiet", "--silent", "-z", "--zero-terminated"),
  },
  {
    names: ["tac"],
    flags: flags("br", "before regex"),
    values: text("-s --separator"),
    operands: { rest: "read" },
    anyFlagReads: true,
    output: passesLines(),
  },
  {
    names: ["wc"],
    flags: flags("clLmw", "bytes chars lines max-line-length words"),
    values: text("--total"),
    operands: { rest: "read" },
    anyFlagReads: true,
  },
  {
    names: ["ls", "dir", "vdir"],
    flags: flags(
      "aAbBcCdDfFgGhiklmnNopqQrRsStuUvxXZ1",
      "all almost-all author directory escape file-type full-time group-directories-first human-readable inode kibibytes literal no-group numeric-uid-gid quote-name recursive reverse si size zero ignore-backups",
    ),
    optional: ["--color", "--classify", "--hyperlink"],
    values: text(
      "-I -T -w --ignore --hide --sort --time --time-style --format --width --tabsize --indicator-style --quoting-style --block-size",
    ),
    operands: { rest: "list", none: "list" },
    recursive: ["-R", "--recursive"],
    anyFlagReads: true,
    output: printsEntries,
  },
  {
    names: ["stat"],
    flags: flags("ftL", "file-system terse dereference"),
    values: text("-c --format --printf"),
    operands: { rest: "list" },
    anyFlagReads: true,
  },
  {
    names: ["file"],
    flags: flags(
      "bhikLNnrs0zZfmCS",
      "brief mime mime-type mime-encoding no-dereference keep-going dereference no-pad no-buffer raw print0 extension apple",
    ),
    values: text("-F -e --separator --exclude"),
    operands: refusing(
      {
        "-C": "writes a compiled magic file",
        "-m": "reads its rules from a file",
        "-f": "reads the names from a file",
        "-z": "starts programs that uncompress",
        "-Z": "starts programs that uncompress",
        "-S": "turns its own confinement off",
        "-s": "reads devices",
      },
      { rest: "read" },
    ),
  },
  {
    names: ["basename", "dirname"],
    flags: flags("az", "multiple zero"),
    values: text("-s --suffix"),
    operands: { rest: "text" },
    anyFlagReads: true,
  },
  {
    names: ["realpath"],
    flags: flags("emLPqsz", "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero"),
    values: { "--relative-to": "list", "--relative-base": "list" },
    operands: { rest: "list" },
    anyFlagReads: true,
  },
  {
    names: ["readlink"],
    flags: flags(
      "efmnqsvz",
      "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    ),
    operands: { rest: "list" },
    anyFlagReads: true,
  },
  {
    names: ["namei"],
    flags: flags("lmnovx", "long modes nosymlinks owners vertical mountpoints"),
    operands: { rest: "list" },
    anyFlagReads: true,
  },
  {
    names: ["du"],
    flags: flags(
      "0abchklmsSxP",
      "all apparent-size bytes total human-readable summarize one-file-system null inodes si count-links separate-dirs no-dereference",
    ),
    optional: ["--time"],
    values: text("-d -t -B --max-depth --exclude --threshold --block-size --time-style"),
    operands: { rest: "list-tree", none: "list-tree" },
    anyFlagReads: true,
  },
  {
    names: ["tree"],
    flags: flags(
      "aACdDfFgGhiJlnNpqQRrsStuUvcXxo",
      "dirsfirst filesfirst noreport du prune matchdirs ignore-case inodes device si gitignore metafirst",
    ),
    values: text("-I -L -P --filelimit --sort --charset --timefmt"),
    operands: refusing(
      { "-o": "writes a file", "-R": "may write 00Tree.html files", "-l": "follows links out of the tree" },
      (call, place) => {
        // In a bundle these take the next word, and the letters behind them are flags of their own.
        const glued = call.words.find(
          (word) => /^-[^-]*[LIP]./.test(word.value) && !/^-[^-LIP]*L\d+$/.test(word.value),
        );
        if (glued !== undefined) return notUnderstood(`write the flags of tree ${glued.text} one by one`);
        return readByRoles(call, { rest: "list-tree", none: "list-tree" }, place);
      },
    ),
  },
  {
    names: ["exa", "eza"],
    flags: flags(
      "1aAlGxRTdrhgiHSmunUFD",
      "oneline all long grid across recurse tree list-dirs reverse header group inode links blocks modified created accessed group-directories-first git no-permissions no-filesize no-user no-time no-icons git-ignore only-dirs only-files classify",
    ),
    optional: ["--color", "--colour", "--icons"],
    values: text("-L -I -s --level --sort --ignore-glob --time-style --time"),
    operands: refusing({ "--git": "reads the configuration of the repository" }, { rest: "list", none: "list" }),
    recursive: ["-R", "-T", "--recurse", "--tree"],
  },
  {
    names: ["dos2unix", "unix2dos"],
    optional: ["-i", "--info"],
    needs: ["-i", "--info"],
    operands: { rest: "read" },
  },
  {
    names: ["cloc", "tokei", "scc"],
    flags: flags("", "files by-file"),
    values: text("-e -t --exclude --exclude-dir --include-lang --type --sort"),
    operands: (call, place) => {
      const reading = readByRoles(call, { rest: "read-tree", none: "read-tree" }, place);
      const unpacks = reading.effects.some((effect) => effect.op === "read" && archives.test(effect.path.resolved));
      return unpacks ? notUnderstood(`${call.name} unpacks archives`) : reading;
    },
  },
];

const archives = /\.(?:zip|tar|t?gz|t?bz2|t?xz|zst|7z|rar|jar|war|whl|egg|deb|rpm|Z)$/;

/** One bare name a line, without `.` and `..` and without anything around it. */
function printsEntries(call: ProgramCall): "names" | undefined {
  const plain = listed("-1 -A -d -t -r -S -U -X -v -B --almost-all --directory --reverse --ignore-backups");
  return call.name === "ls" && [...call.flags].every((flag) => plain.includes(flag)) ? "names" : undefined;
}
