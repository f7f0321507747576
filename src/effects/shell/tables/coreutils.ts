import { readByRoles } from "../path-operands.ts";
import { notUnderstood, type ProgramEntry } from "../program-entry.ts";
import { flags, text } from "./flag-lists.ts";

/** Programs that print, and what they print from. */
export const coreutils: readonly ProgramEntry[] = [
  {
    names: ["cat"],
    flags: flags("AbeEnstTuv", "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: {
      match: ["cat a.txt", "cat -n a.txt b.txt", "cat -An -- a.txt", "cat src/*.ts", "cat", "cat 'a b'"],
      noMatch: ["cat --num a.txt", "cat $x", "cat -y a", "cat .e*", "cat `ls`", "cat */../../x"],
    },
  },
  {
    names: ["head"],
    flags: flags("qvz", "quiet silent verbose zero-terminated"),
    values: text("-n -c --lines --bytes"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["head a", "head -n 20 a", "head -20 a", "head --lines=5 a"], noMatch: ["head --line=5 a"] },
  },
  {
    names: ["tail"],
    flags: flags("qvz", "quiet silent verbose zero-terminated"),
    values: text("-n -c --lines --bytes"),
    count: true,
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["tail -n 20 a", "tail -5 a", "tail -n +3 a"], noMatch: ["tail -f a", "tail --pid=1 a"] },
  },
  {
    names: ["wc"],
    flags: flags("clLmw", "bytes chars lines max-line-length words"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["wc -l a", "wc a b", "wc -l *.ts"], noMatch: ["wc --files0-from=a"] },
  },
  {
    names: ["ls"],
    flags: flags(
      "aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1",
      "all almost-all classify directory group-directories-first human-readable inode no-group numeric-uid-gid recursive reverse size full-time si",
    ),
    optional: ["--color", "--classify"],
    values: text("-I -w --ignore --hide --sort --time --time-style --format --width --indicator-style"),
    operands: { rest: "list", none: "list" },
    recursive: ["-R", "--recursive"],
    anyFlagReads: true,
    examples: {
      match: ["ls", "ls -la", "ls -1 src", "ls *.md", "ls --color=never -lt", "ls -R src"],
      noMatch: ["ls -L x", "ls --recurs", "ls $(pwd)", "ls {a,b}"],
    },
  },
  {
    names: ["pwd"],
    flags: flags("LP", "logical physical"),
    operands: {},
    examples: { match: ["pwd", "pwd -P"], noMatch: ["pwd x"] },
  },
  {
    names: ["echo"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["echo hi", "echo -n hi", "echo 'a;b'", 'echo "x > y"'], noMatch: ["echo $(id)", "echo $HOME"] },
  },
  {
    names: ["printf"],
    verbatim: true,
    operands: (call, place) => {
      const [format] = call.operands;
      if (format === undefined || format.glob || format.value.startsWith("-")) {
        return notUnderstood("printf with a flag may set a variable");
      }
      return readByRoles(call, { rest: "text" }, place);
    },
    examples: { match: ["printf '%s\\n' a b"], noMatch: ["printf -v x a", "printf -- a"] },
  },
  {
    names: ["basename", "dirname"],
    flags: flags("az", "multiple zero"),
    values: text("-s --suffix"),
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["basename /a/b.ts .ts", "dirname a/b"], noMatch: ["dirname --x a"] },
  },
  {
    names: ["stat"],
    flags: flags("ft", "file-system terse"),
    values: text("-c --format --printf"),
    operands: { rest: "list" },
    anyFlagReads: true,
    examples: { match: ["stat a", "stat -c %s a b"], noMatch: ["stat -L a"] },
  },
  {
    names: ["file"],
    flags: flags("bhik", "brief mime mime-type mime-encoding no-dereference keep-going"),
    operands: { rest: "read" },
    examples: { match: ["file a.bin", "file --mime-type a"], noMatch: ["file -C -m x", "file -f list", "file *"] },
  },
  {
    names: ["true", "false", ":", "exit"],
    verbatim: true,
    operands: { rest: "text" },
    anyFlagReads: true,
    examples: { match: ["true", ":", "exit 1"], noMatch: ["true $(x)"] },
  },
  {
    names: ["date"],
    flags: flags("uR", "utc universal rfc-email"),
    optional: ["-I", "--iso-8601"],
    values: { ...text("-d --date --rfc-3339"), "-r": "list", "--reference": "list" },
    operands: (call, place) => {
      const setting = call.operands.find((word) => word.glob || !word.value.startsWith("+"));
      if (setting !== undefined) return notUnderstood("date with an operand sets the clock");
      return readByRoles(call, { rest: "text" }, place);
    },
    examples: {
      match: ["date", "date -u +%s", "date -d yesterday"],
      noMatch: ["date -s x", "date 010100", "date --set=x"],
    },
  },
  {
    names: ["sort"],
    flags: flags(
      "bdfghiMnRrsuVzcCm",
      "reverse numeric-sort unique ignore-case human-numeric-sort version-sort general-numeric-sort stable zero-terminated check",
    ),
    values: text("-k -t -S --key --field-separator --buffer-size"),
    operands: { rest: "read" },
    examples: {
      match: ["sort a", "sort -rn -k2 a", "sort -u ./*.txt", "sort -t , -k 1 a"],
      noMatch: [
        "sort -o out a",
        "sort -uo out a",
        "sort --outp=x a",
        "sort --compress-program=sh a",
        "sort -T /x a",
        "sort *",
      ],
    },
  },
  {
    names: ["uniq"],
    flags: flags("cdDiuz", "count repeated unique ignore-case zero-terminated"),
    values: text("-f -s -w --skip-fields --skip-chars --check-chars"),
    operands: { first: ["read"] },
    examples: { match: ["uniq -c", "uniq a"], noMatch: ["uniq a out", "uniq -x"] },
  },
  {
    names: ["cut"],
    flags: flags("sz", "complement only-delimited zero-terminated"),
    values: text("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["cut -d: -f1 a", "cut -c1-5"], noMatch: ["cut -x a"] },
  },
  {
    names: ["tr"],
    flags: flags("cCdst", "complement delete squeeze-repeats truncate-set1"),
    operands: { first: ["text", "text"] },
    examples: { match: ["tr a-z A-Z", "tr -d '\\n'"], noMatch: ["tr a b c"] },
  },
  {
    names: ["nl"],
    values: text("-b -f -h -i -l -n -s -v -w"),
    operands: { rest: "read" },
    examples: { match: ["nl -b a x", "nl a"], noMatch: ["nl --x a", "nl -p a"] },
  },
  {
    names: ["tac", "rev"],
    operands: { rest: "read" },
    examples: { match: ["tac a", "rev a b"], noMatch: ["tac -b a", "tac *", "rev -V"] },
  },
  {
    names: ["fold"],
    flags: flags("bs"),
    values: text("-w --width"),
    operands: { rest: "read" },
    examples: { match: ["fold -w 80 a", "fold -s a"], noMatch: ["fold -x a"] },
  },
  {
    names: ["paste"],
    flags: flags("sz"),
    values: text("-d --delimiters"),
    operands: { rest: "read" },
    examples: { match: ["paste -d, a b", "paste -s a"], noMatch: ["paste -x a"] },
  },
  {
    names: ["column"],
    flags: flags("t"),
    values: text("-s -c"),
    operands: { rest: "read" },
    examples: { match: ["column -t a", "column -t -s , a"], noMatch: ["column -J a"] },
  },
  {
    names: ["diff"],
    flags: flags(
      "abBcdeiNqrsuwy",
      "brief report-identical-files recursive new-file text ignore-case ignore-all-space ignore-space-change ignore-blank-lines side-by-side minimal no-dereference",
    ),
    optional: ["--color", "--unified", "--context"],
    values: text("-U -C -x -I -L -W --exclude --label --width --ignore-matching-lines"),
    operands: { first: ["read", "read"] },
    recursive: ["-r", "--recursive"],
    examples: { match: ["diff a b", "diff -ru a b", "diff -U 5 a b"], noMatch: ["diff --to-file=x a", "diff a b c"] },
  },
  {
    names: ["cmp"],
    flags: flags("bls", "print-bytes silent quiet verbose"),
    values: text("-n -i"),
    operands: { first: ["read", "read"] },
    examples: { match: ["cmp a b", "cmp -n 5 a b"], noMatch: ["cmp --x a b"] },
  },
  {
    names: ["comm"],
    flags: flags("123z"),
    operands: { first: ["read", "read"] },
    examples: { match: ["comm -12 a b"], noMatch: ["comm --x a b", "comm -n a b"] },
  },
  {
    names: ["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum"],
    flags: flags("btz", "binary text tag zero"),
    operands: { rest: "read" },
    anyFlagReads: true,
    examples: { match: ["sha256sum a b"], noMatch: ["sha256sum -c sums", "md5sum --che x"] },
  },
  {
    names: ["du"],
    flags: flags("0abchkmsSx", "all apparent-size bytes total human-readable summarize one-file-system null"),
    values: text("-d -t --max-depth --exclude --threshold"),
    operands: { rest: "list-tree", none: "list-tree" },
    anyFlagReads: true,
    examples: { match: ["du -sh .", "du -h -d 1"], noMatch: ["du -L .", "du --files0-from=x"] },
  },
  {
    names: ["realpath", "readlink"],
    flags: flags("efmnqsvz"),
    operands: { rest: "list" },
    examples: { match: ["realpath a", "readlink -f a"], noMatch: ["realpath --x a"] },
  },
  {
    names: ["od"],
    flags: flags("abcdoxv"),
    values: text("-A -j -N -t --address-radix --skip-bytes --read-bytes --format"),
    operands: { rest: "read" },
    examples: { match: ["od -c a", "od -A x -t x1 a"], noMatch: ["od -s a", "od --traditional a"] },
  },
  {
    names: ["hexdump"],
    flags: flags("bcCdovx"),
    values: text("-n -s"),
    operands: { rest: "read" },
    examples: { match: ["hexdump -C a", "hexdump -n 16 a"], noMatch: ["hexdump -f fmt a", "hexdump -e x a"] },
  },
  {
    names: ["strings"],
    flags: flags("a"),
    values: text("-n -t"),
    operands: { rest: "read" },
    examples: { match: ["strings -n 8 a"], noMatch: ["strings --x a", "strings -T x a"] },
  },
  {
    names: ["tree"],
    flags: flags("aCdDfFhinprstu", "dirsfirst noreport"),
    values: text("-I -L -P --filelimit"),
    operands: { rest: "list-tree", none: "list-tree" },
    examples: { match: ["tree -L 2", "tree -a src"], noMatch: ["tree -o out", "tree -l", "tree -R", "tree *"] },
  },
  {
    names: ["seq", "sleep", "whoami", "arch", "nproc", "uname", "id", "groups", "uptime"],
    flags: flags("agGimnoprsuvw", "all"),
    operands: { rest: "text" },
    examples: { match: ["seq 3", "uname -a", "id -u", "sleep 1"], noMatch: ["seq -f x 3", "nproc --x"] },
  },
  {
    names: ["hostname"],
    operands: {},
    examples: { match: ["hostname"], noMatch: ["hostname evil", "hostname -F x"] },
  },
  {
    names: ["which", "type"],
    flags: flags("ap"),
    operands: { rest: "text" },
    examples: { match: ["which node", "type -a ls"], noMatch: ["which --x node"] },
  },
  {
    names: ["command"],
    flagsFirst: true,
    flags: ["-v", "-V"],
    needs: ["-v", "-V"],
    operands: { rest: "text" },
    examples: { match: ["command -v node"], noMatch: ["command node", "command -p ls", "command ls -v"] },
  },
];
