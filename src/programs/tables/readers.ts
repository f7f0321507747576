import { entriesOf, listed } from "../flag-lists.ts";
import { readByRoles } from "../path-operands.ts";
import type { ProgramEntry } from "../program-entry.ts";
import { isLiteral, notUnderstood, type Reader } from "../readings.ts";

/** No flag of these writes, runs or connects, not even one that is not listed. */
const harmless = `
  cat -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs : read*
  head,tail -qvz --quiet --silent --verbose --zero-terminated -nc= --lines= --bytes= -# : read*
  tac -br --before --regex -s= --separator= : read*
  wc -clLmw --bytes --chars --lines --max-line-length --words --total= : read*
  ls,dir,vdir -aAbBcCdDfFgGhiklmnNopqQrsStuUvxXZ1 -R^ --all --almost-all --author --directory --escape --file-type
    --full-time --group-directories-first --human-readable --inode --literal --no-group --numeric-uid-gid --recursive^
    --reverse --si --size --zero --ignore-backups --color? --classify? --hyperlink? -ITw= --ignore= --hide= --sort=
    --time= --time-style= --format= --width= --indicator-style= --quoting-style= --block-size= : list*.
  stat -ftL --file-system --terse --dereference -c= --format= --printf= : list*
  basename,dirname -az --multiple --zero -s= --suffix= : text*
  realpath -emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks
    --zero --relative-to=list --relative-base=list : list*
  readlink -efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline : list*
  du -0abchklmsSxP --all --apparent-size --bytes --total --human-readable --summarize --one-file-system --null
    --inodes --si --time? -dtB= --max-depth= --exclude= --threshold= --block-size= --time-style= : list-tree*.
  cut -nsz --complement --only-delimited --zero-terminated -bcdf= --bytes= --characters= --delimiter= --fields=
    --output-delimiter= : read*
  tr -cCdst --complement --delete --squeeze-repeats --truncate-set1 : text text
  nl -p --no-renumber -bdfhilnsvw= --body-numbering= --number-format= --number-separator= --number-width= : read*
  rev : read*
  fold -bs --bytes --spaces -w= --width= -# : read*
  expand,unexpand -ai --all --initial --first-only -t= --tabs= -# : read*
  paste -sz --serial --zero-terminated -d= --delimiters= : read*
  column -tdeJLx --table --json --keep-empty-lines --fillrows -sconNOlEHRTW= --separator= --output-width=
    --output-separator= --table-name= --table-columns= --table-right= : read*
  seq -w --equal-width -fs= --format= --separator= -# : text text text
  md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum -btzw --binary --text --tag --zero -l= --length= : read*
  cksum,sum -rsz --sysv --tag --untagged --zero -al= --algorithm= --length= : read*
  shasum -bt --binary --text -a= --algorithm= : read*
  base64,base32,base16,basenc -di --decode --ignore-garbage --base64 --base64url --base32 -w= --wrap= : read
  od -abcdfiloxsv --output-duplicates -w? --width? -AjNSt= --address-radix= --skip-bytes= --read-bytes= --format= : read*
  hexdump,hd -bcCdovx --canonical --no-squeezing -nse= --length= --skip= --format= -f=read --format-file=read : read*
  cmp -bls --print-bytes --silent --quiet --verbose -ni= --bytes= --ignore-initial= : read read text text
  comm -123z --check-order --nocheck-order --total --zero-terminated --output-delimiter= : read read
  zcat,bzcat,xzcat,lzcat,zstdcat -fqv --force --quiet --verbose : read*
  pwd -LP --logical --physical :
  uname,arch -asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system :
  nproc --all --ignore= :
  whoami,groups,logname,tty,users,hostid,sw_vers,uuidgen,cal,ncal -s --silent --quiet : text*
  id -aGgnruZz --group --groups --name --real --user --zero --context : text*
  uptime -ps --pretty --since :
  sleep : text*
  which,whereis,type,help -abmpstd : text*
  printenv -0 --null : text*
  locale -amckv --all-locales --charmaps : text*
  free -bkmghltvw --bytes --kibi --mebi --gibi --human --total --wide :
  df -ahHiklPTv --all --human-readable --si --inodes --local --portability --print-type --total --output? -Btx=
    --block-size= --type= --exclude-type= : list*
  lsblk -abdfilmnprtsJPOAD --all --bytes --fs --json --list --paths --raw -o= --output= :
  pgrep,pidof -lavwcfinoxsA --list-name --list-full --count --full --newest --oldest --exact -dPuUgGt= --parent= : text*
`;

/** A flag of these that is not listed may write, run or connect. */
const careful = `
  file -bhikLNnr0 --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --dereference --no-pad
    --raw --print0 --extension -Fe= --separator= --exclude= : read*
  exa,eza -1aAlGxdrhgiHSmunUFD -R^ -T^ --oneline --all --long --grid --across --recurse^ --tree^ --list-dirs --reverse
    --header --group --inode --links --group-directories-first --git-ignore --only-dirs --only-files --classify --color?
    --colour? --icons? -LIs= --level= --sort= --ignore-glob= --time-style= --time= : list*.
  sort -bdfghiMnRrsuVzcCm --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
    --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --merge --stable --unique
    --zero-terminated --debug --check? -ktS= --key= --field-separator= --buffer-size= --sort= --parallel= -o=write
    --output=write : read*
  uniq -cdDiuz --count --repeated --unique --ignore-case --zero-terminated --all-repeated? --group? -fsw=
    --skip-fields= --skip-chars= --check-chars= : read
  shuf -z --zero-terminated -ni= --head-count= --input-range= -o=write --output=write : read
  bc -lqsw --mathlib --quiet --standard --warn : read*
  diff -0123456789abBcdEeinNpqstTuwyZ -r^ --normal --brief --report-identical-files --ed --side-by-side --left-column
    --suppress-common-lines --show-c-function --expand-tabs --recursive^ --no-dereference --new-file --text
    --strip-trailing-cr --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change
    --ignore-all-space --ignore-blank-lines --minimal --speed-large-files --color? --unified? --context?
    -UCxILWFDS= --exclude= --label= --width= --ignore-matching-lines= --show-function-line= --palette=
    --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --old-group-format=
    --new-group-format= --changed-group-format= --unchanged-group-format= --starting-file= -X=read
    --exclude-from=read : read read
  gzip,gunzip,bzip2,bunzip2,xz,unxz,zstd,unzstd -dfkqv123456789 !-c !--stdout !--to-stdout --decompress --keep --force
    --quiet --verbose : read*
  hostname -sI --short --all-ip-addresses :
  lsof !-n -PltUa -i? -pcuds= : list*
  ss -tulnpaxesimo46HO --tcp --udp --listening --numeric --processes --all --summary --no-header :
  netstat -tulpars46xWe !-n --tcp --udp --listening !--numeric --programs --all --statistics :
  dpkg !-lLsS !--list !--listfiles !--status !--search !--print-architecture : text*
  dpkg-query -lLsSW --list --listfiles --status --search --show -f= --showformat= : text*
  bat,batcat -pAn --plain --show-all --number --no-paging -rlH= --line-range= --language= --highlight-line= --style=
    --color= --paging= --wrap= --theme= --tabs= : read*
  xmllint --format --noout --recover --nocdata --noblanks --nowarning --nonet --pretty --html --xpath= --encode= : read*
  openssl~dgst,openssl~md5,openssl~sha1,openssl~sha256,openssl~sha512 : read*
`;

/** Operands of another shape do more than is listed here. */
const shaped: readonly (Partial<ProgramEntry> & {
  readonly table: string;
  readonly operand?: RegExp;
  readonly word?: RegExp;
})[] = [
  {
    // Any other operand sets the clock.
    table: `date -uR --utc --universal --rfc-email --resolution -I? --iso-8601? -d= --date= --rfc-3339= -r=list
      --reference=list : text*`,
    operand: /^\+/,
  },
  { table: "ip~addr,ip~a,ip~address,ip~link,ip~route,ip~r,ip~neigh : text", operand: /^(?:show|list|ls)$/ },
  {
    // Without a terminal they only print, but a command may stand after the +.
    table: `less,more -NRSFXnieEqsdflcu --LINE-NUMBERS --RAW-CONTROL-CHARS --chop-long-lines --quit-if-one-screen
      --no-init -# : read*`,
    operand: /^[^+]/,
  },
  // A pattern makes it look for archives by itself.
  { table: "unzip !-lvtzZ -q1C : read text*", operand: /^[^-*?[\]][^*?[\]]*$/, flagsFirst: true },
  // A flag at the end of a bundle does not take the next word for its value.
  { table: "xxd -abCEeipud -cgls= : read", word: /^(?!-.+[cgls]$)/ },
  { table: "ps : text*", operand: /^[\w,:%=+.-]*$/, verbatim: true, anyFlagReads: true },
  { table: "man -kfwa --apropos --whatis --where --path --all -s= --sections= : text*", operand: /^[^/]*$/ },
  {
    // Letters behind -L in a bundle are flags, and its value is the next word.
    table: `tree -aACdDfFgGhiJnNpqQrsStuUvcXx --dirsfirst --filesfirst --noreport --du --prune --matchdirs --ignore-case
      --inodes --device --si --gitignore --metafirst -ILP= --filelimit= --sort= --charset= --timefmt= : list-tree*.`,
    word: /^(?!-[^-]*[LIP].)|^-[^-LIP]*L\d+$/,
  },
];

/** Flags under which lines of the input come out as they went in. */
const lineFlags: Readonly<Record<string, string>> = {
  cat: "-u -s --squeeze-blank",
  head: "-n --lines -# -q --quiet --silent -z --zero-terminated",
  tail: "-n --lines -# -q --quiet --silent -z --zero-terminated",
  tac: "",
  sort: "-b -d -f -g -h -i -M -n -R -r -s -u -V -z -k -t --key --field-separator --reverse --unique",
  uniq: "-d -D -i -u -z -f -s -w --repeated --unique --ignore-case",
  shuf: "-n --head-count -z --zero-terminated",
};

/** Under these `ls` prints one bare name a line. */
const nameFlags = "-1 -A -d -t -r -S -U -X -v -B --almost-all --directory --reverse --ignore-backups";

/** Programs that print files, texts, and facts about files, the machine and the time. */
export const readers: readonly ProgramEntry[] = [
  ...entriesOf(harmless, { anyFlagReads: true }),
  ...entriesOf("  echo : text*\n  factor,expr : text*\n  true,false,:,exit : text*", {
    verbatim: true,
    anyFlagReads: true,
  }),
  ...entriesOf(careful),
  ...entriesOf("  command !-v !-V : text*", { flagsFirst: true }),
  ...shaped.flatMap(({ table, operand, word, ...common }) =>
    entriesOf(table, common).map((entry) => withShape(entry, { operand, word })),
  ),
  { names: ["printf"], verbatim: true, operands: readPrintf },
].map((entry) => ({ ...entry, output: outputOf(entry) }));

function withShape(
  entry: ProgramEntry,
  { operand, word }: Pick<(typeof shaped)[number], "operand" | "word">,
): ProgramEntry {
  const { operands: roles } = entry;
  const read: Reader = (call, place) => {
    const odd =
      call.operands.find((one) => operand && !(isLiteral(one) && operand.test(one.value))) ??
      call.words.find((one) => word?.test(one.value) === false);
    if (odd !== undefined) return notUnderstood(`${call.name}: ${odd.text} could not be analysed`);
    return typeof roles === "function" ? roles(call, place) : readByRoles(call, roles, place);
  };
  return { ...entry, operands: read };
}

function readPrintf(...[call, place]: Parameters<Reader>): ReturnType<Reader> {
  const [first, second] = call.operands;
  const format = first?.value === "--" && isLiteral(first) ? second : first;
  if (format === undefined || !isLiteral(format)) return notUnderstood("the printf format is known only when it runs");
  const setsVariable =
    (format === first && format.value.startsWith("-")) ||
    /%[^%a-zA-Z]*[hlLjzt]*n/.test(format.value.replaceAll("%%", ""));
  return setsVariable ? notUnderstood("printf sets a variable") : readByRoles(call, { rest: "text" }, place);
}

function outputOf({ names: [name = ""] }: ProgramEntry): ProgramEntry["output"] {
  const only = (allowed: string | undefined, given: ReadonlySet<string>) =>
    [...given].every((flag) => listed(allowed ?? "").includes(flag));
  if (name === "ls") return (call) => (call.name === name && only(nameFlags, call.flags) ? "names" : undefined);
  if (!Object.hasOwn(lineFlags, name)) return undefined;
  return (call) => (call.operands.length === 0 && only(lineFlags[call.name], call.flags) ? "input" : undefined);
}
