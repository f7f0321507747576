import type { EntryExamples } from "./entry-examples.ts";

export const ownProgramExamples: readonly EntryExamples[] = [
  // coreutils-read.ts
  {
    entry: "cat",
    examples: {
      match: ["cat a.txt", "cat -n a.txt b.txt", "cat -An -- a.txt", "cat src/*.ts", "cat", "cat 'a b'", "cat - a"],
      noMatch: ["cat --num a.txt", "cat -y a", "cat .e*", "cat */../../x", "cat ~other/x"],
    },
  },
  {
    entry: "head",
    examples: { match: ["head a", "head -n 20 a", "head -20 a", "head --lines=5 a"], noMatch: ["head --line=5 a"] },
  },
  {
    entry: "tail",
    examples: {
      match: ["tail -n 20 a", "tail -5 a", "tail -n +3 a"],
      noMatch: ["tail -f a", "tail --pid=1 a", "tail --follow=name a", "tail -fn 5 a"],
    },
  },
  { entry: "tac", examples: { match: ["tac a", "tac -s , a"], noMatch: ["tac -x a", "tac --sep=x a"] } },
  { entry: "wc", examples: { match: ["wc -l a", "wc a b", "wc -l *.ts", "wc -lw"], noMatch: ["wc --files0-from=a"] } },
  {
    entry: "ls",
    examples: {
      match: [
        "ls -1A",
        "ls -lah dst",
        "ls -1 src",
        "ls ./*.md",
        "ls --color=never -lt",
        "ls -R src",
        "ls --time-style=+%s -l",
      ],
      noMatch: ["ls -L x", "ls --recurs", "ls -H x", "ls ~other"],
    },
  },
  {
    entry: "stat",
    examples: { match: ["stat a", "stat -c %s a b", "stat --printf='%n\\n' a"], noMatch: ["stat --cached=never a"] },
  },
  {
    entry: "file",
    examples: {
      match: ["file a.bin", "file --mime-type a", "file -bi a", "file ./*.ts"],
      noMatch: ["file -C -m x", "file -f list", "file *", "file -z a", "file --compile", "file -bm x a"],
    },
  },
  {
    entry: "basename",
    examples: { match: ["basename /a/b.ts .ts", "dirname a/b", "basename -s .ts a.ts"], noMatch: ["dirname --x a"] },
  },
  {
    entry: "realpath",
    examples: { match: ["realpath a", "realpath -m x", "realpath --relative-to=. src"], noMatch: ["realpath --x a"] },
  },
  { entry: "readlink", examples: { match: ["readlink a", "readlink -f a"], noMatch: ["readlink --x a"] } },
  {
    entry: "du",
    examples: {
      match: ["du -sk dst", "du -h -d 1", "du -a src --exclude='*.ts'"],
      noMatch: ["du -L .", "du --files0-from=x"],
    },
  },
  {
    entry: "tree",
    examples: {
      match: ["tree -L 2", "tree -a src", "tree -aL 2", "tree -I 'node_modules|dist' --dirsfirst", "tree -L2"],
      noMatch: ["tree -o out", "tree -l", "tree -R", "tree *", "tree -Lo 2 out", "tree -Po x out", "tree --fromfile a"],
    },
  },
  {
    entry: "exa",
    examples: { match: ["exa -la", "eza --tree -L 2 src"], noMatch: ["eza --git -l", "exa --stdin", "eza -X"] },
  },
  // coreutils-text.ts
  {
    entry: "sort",
    examples: {
      match: ["sort a", "sort -rn -k2 a", "sort -u ./*.txt", "sort -t , -k 1 a", "sort -o b a"],
      noMatch: [
        "sort -uo out a",
        "sort --outp=x a",
        "sort --compress-program=sh a",
        "sort -T /x a",
        "sort --files0-from=x",
        "sort *",
      ],
    },
  },
  {
    entry: "uniq",
    examples: { match: ["uniq -c", "uniq a", "uniq -f 1 -w 3 a"], noMatch: ["uniq a out", "uniq -x", "uniq *"] },
  },
  {
    entry: "shuf",
    examples: {
      match: ["shuf -n 5 a", "shuf -i 1-10"],
      noMatch: ["shuf -eo out x", "shuf -r a", "shuf *"],
    },
  },
  { entry: "cut", examples: { match: ["cut -d: -f1 a", "cut -c1-5", "cut -d ' ' -f 2-"], noMatch: ["cut -x a"] } },
  {
    entry: "tr",
    examples: { match: ["tr a-z A-Z", "tr -d '\\n'", "tr -cs 'a-z' '\\n'"], noMatch: ["tr a b c", "tr --del x"] },
  },
  { entry: "nl", examples: { match: ["nl -b a x", "nl a", "nl -ba -w3 a"], noMatch: ["nl --x a"] } },
  { entry: "rev", examples: { match: ["rev a b", "rev"], noMatch: ["rev -x"] } },
  { entry: "fold", examples: { match: ["fold -w 80 a", "fold -s a", "fold -sw 72"], noMatch: ["fold -x a"] } },
  { entry: "expand", examples: { match: ["expand -t 4 a", "unexpand -a a"], noMatch: ["expand -x a"] } },
  { entry: "paste", examples: { match: ["paste -d, a b", "paste -s a", "paste -sd+"], noMatch: ["paste -x a"] } },
  {
    entry: "column",
    examples: {
      match: ["column -t a", "column -t -s , a", "column -J -N x,y a"],
      noMatch: ["column --tab a", "column -q"],
    },
  },
  {
    entry: "seq",
    examples: { match: ["seq 3", "seq 1 2 9", "seq -s , 5", "seq -w 1 10"], noMatch: ["seq --sep=x 3", "seq 1 2 3 4"] },
  },
  { entry: "factor", examples: { match: ["factor 42", "expr 1 + 2"], noMatch: [] } },
  { entry: "bc", examples: { match: ["bc -l", "bc"], noMatch: ["bc -i", "bc *"] } },
  {
    entry: "echo",
    examples: { match: ["echo hi", "echo -n hi", "echo 'a;b'", 'echo "x > y"'], noMatch: ["echo x > .env"] },
  },
  {
    entry: "printf",
    examples: {
      match: ["printf '%s\\n' a b", "printf -- '-%s' a"],
      noMatch: ["printf -v x a", "printf", "printf -vx a", "printf %n PATH", "printf %5ln x"],
    },
  },
  { entry: "true", examples: { match: ["true", ":", "exit 1"], noMatch: ["true > .env"] } },
  // bytes.ts
  {
    entry: "md5sum",
    examples: {
      match: ["sha256sum a b", "md5sum *", "b2sum -l 256 a"],
      noMatch: ["sha256sum -c sums", "md5sum --che x"],
    },
  },
  {
    entry: "cksum",
    examples: { match: ["cksum a", "cksum -a sha256 a", "sum -r a"], noMatch: ["cksum --check a", "cksum -c a"] },
  },
  { entry: "shasum", examples: { match: ["shasum -a 256 a"], noMatch: ["shasum -c sums"] } },
  {
    entry: "base64",
    examples: { match: ["base64 a", "base64 -d", "base64 -w0 a"], noMatch: ["base64 -o out a", "base64 a b"] },
  },
  {
    entry: "od",
    examples: {
      match: ["od -c a", "od -A x -t x1z a", "od -An -tx1 -N4 a"],
      noMatch: ["od --traditional a", "od -y a"],
    },
  },
  {
    entry: "xxd",
    examples: {
      match: ["xxd a", "xxd -l 64 a", "xxd -p a", "xxd -s 16 -l16 a"],
      noMatch: ["xxd a out", "xxd -r a out", "xxd *", "xxd -ac a b"],
    },
  },
  {
    entry: "hexdump",
    examples: {
      match: ["hexdump -C a", "hexdump -n 16 a", "hexdump -e '16/1 \"%02x\"' a"],
      noMatch: ["hexdump --canon a", "hexdump -y a"],
    },
  },
  // compare.ts
  {
    entry: "diff",
    examples: {
      match: [
        "diff a b",
        "diff -ru a b",
        "diff -U 5 a b",
        "diff -u3 a b",
        "diff -qr src tests",
        "diff - a",
        "diff -y -W 120 a b",
      ],
      noMatch: ["diff --to-file=x a", "diff a b c", "diff -l a b", "diff *"],
    },
  },
  {
    entry: "cmp",
    examples: { match: ["cmp a b", "cmp -n 5 a b", "cmp -s a b", "cmp a b 10 10"], noMatch: ["cmp --x a b"] },
  },
  { entry: "comm", examples: { match: ["comm -12 a b", "comm -3 a b"], noMatch: ["comm --x a b", "comm -n a b"] } },
  // search.ts
  {
    entry: "grep",
    examples: {
      match: [
        "grep foo a.txt",
        "grep -rn foo src",
        "grep -rn --include=*.ts foo .",
        "grep -e a -e b x",
        "grep 'a b' -i x",
        'grep "foo$" x',
        "grep foo",
        "grep -A3 foo x",
        "grep -rlZ foo",
        "grep -f a b",
      ],
      noMatch: ["grep -R foo .", "grep --recurs foo", "grep --devices=read foo x", "grep -d recurse foo .", "grep * x"],
    },
  },
  {
    entry: "zgrep",
    examples: { match: ["zgrep -n foo a.gz"], noMatch: ["zgrep -r foo .", "zgrep -f x a.gz", "zgrep foo *"] },
  },
  {
    entry: "rg",
    examples: {
      match: [
        "rg foo",
        "rg -n foo src",
        "rg --files -g '*.ts'",
        "rg -uuu foo",
        "rg -e a -e b src tests",
        "rg foo ./*.md",
        "rg -l foo --type-add 'web:*.html' -tweb",
      ],
      noMatch: [
        "rg --pre cat foo",
        "rg --pre=./x foo",
        "rg --hostname-bin x foo",
        "rg -z foo",
        "rg -L foo",
        "rg foo *",
        "rg --search-zip foo",
      ],
    },
  },
  // find.ts
  {
    entry: "find",
    examples: {
      match: [
        "find . -name '*.ts'",
        "find src tests -type f -newer a",
        "find . \\( -name a -o -name b \\) -print",
        "find",
        "find . ! -name x -maxdepth 2",
        "find . -printf '%p %s\\n'",
        "find -P src/* -empty",
      ],
      noMatch: [
        "find . -name x -delete",
        "find . -exec rm {} \\;",
        "find . -execdir ls {} +",
        "find . -ok rm {} \\;",
        "find . -fprint out",
        "find . -fls out",
        "find -files0-from x",
        "find -L . -name x",
        "find . -name *.ts",
        "find . -exec sh -c 'rm $1' x {} \\;",
        "find . -exec ls",
        "find * -name x",
        "find -- . -name x",
        "find . -name",
        "find . -frobnicate",
      ],
    },
  },
  // fd.ts
  {
    entry: "fd",
    examples: {
      match: ["fd foo", "fd -e ts . src", "fd -H -t f -E node_modules", "fdfind --type d"],
      noMatch: [
        "fd -x rm",
        "fd foo -X rm",
        "fd --exec rm",
        "fd -L foo",
        "fd -l",
        "fd *",
        "fd -C /x foo",
        "fd -x sh -c {}",
      ],
    },
  },
  // text-programs.ts
  {
    entry: "sed",
    examples: {
      match: [
        "sed -n 10,20p a",
        "sed 's/a/b/g' a",
        "sed -i 's/a/b/' a",
        "sed -i.bak s/a/b/ x",
        "sed -n '/x/p' a b",
        "sed -e 1d -e '$d' a",
        "sed -nE '/^(a|b)$/{=;p}' a",
        "sed '/a/,+2!d' a",
        "sed ':a;N;$!ba;s/\\n/ /g' a",
        "sed 's|[a-z]*/||; y/ab/cd/' a",
        "sed '1i // first' a",
      ],
      noMatch: [
        "sed 's/a/b/e' x",
        "sed 's/a/b/w out' x",
        "sed '1e id' x",
        "sed 'w out' x",
        "sed -f script x",
        "sed --in-pl s/a/b/ x",
        "sed '1r /etc/passwd' x",
        "sed 's/a/b/;e' x",
        "sed '1!{p;e}' x",
        "sed 's/[/]/e;p/' x",
        "sed --expression=e x",
        "sed p *",
        "sed -i/../../x s/a/b/ x",
        "sed",
      ],
    },
  },
  {
    entry: "awk",
    examples: {
      match: [
        "awk '{print $1}' a",
        "awk -F: '$3 > 10 {print $1, $NF}' a b",
        "awk -F , -v n=3 'NR==n' a",
        'awk \'BEGIN{FS=":"} /a>b/ {c[$1]++} END{for (k in c) printf "%s %d\\n", k, c[k]/2}\' a',
        "awk 'NR>=10 && NR<=20' a OFS=, b",
        "awk '!seen[$0]++'",
        "awk '/start/{f=1;next} /end/{exit} f' a",
      ],
      noMatch: [
        "awk 'BEGIN{system(\"id\")}'",
        "awk '{print > \"out\"}' a",
        "awk '{print $1 >> \"out\"}' a",
        "awk '{print | \"sh\"}' a",
        "awk '{\"id\" | getline x; print x}' a",
        "awk '{while ((getline line < \"/etc/passwd\") > 0) print line}'",
        "awk -f prog a",
        "awk -i inplace 1 a",
        "awk 'BEGIN{ARGV[1]=\"/etc/passwd\";ARGC=2} 1'",
        "awk '@load \"x\"; 1' a",
        "awk '{print 1,\n2 > \"out\"}' a",
        'awk \'{f="system"; @f("id")}\' a',
        "awk -W exec x",
        "awk -vx=1",
      ],
    },
  },
  {
    entry: "jq",
    examples: {
      match: ["jq . a.json", "jq -r '.include[] | \"\\(.name) x\"' a", "jq '.a' *.json", "jq -s 'add' a b -r"],
      noMatch: [
        "jq -f prog a",
        "jq -rf prog a",
        "jq -L . . a",
        "jq 'import \"x\" as $x; .' a",
        "jq 'include \"x\"; .' a",
        "jq -n --rawfile x .env '$x'",
        "jq --seqq . a",
        "jq *",
      ],
    },
  },
  {
    entry: "yq",
    examples: {
      match: ["yq '.a.b' a", "yq -r '.jobs | keys' a", "yq -o=json '.' a"],
      noMatch: ["yq -i '.a = 1' a", "yq 'load(\"x\")' a", "yq '.a | env(HOME)' a", "yq -s .a a", "yq '.a' *"],
    },
  },
  {
    entry: "xmllint",
    examples: {
      match: ["xmllint --noout --nonet a", "xmllint --format a", "xmllint --xpath '//x' a"],
      noMatch: [
        "xmllint --output out a",
        "xmllint --shell a",
        "xmllint --noent a",
        "xmllint --xinclude a",
        "xmllint *",
      ],
    },
  },
  // archive.ts
  {
    entry: "tar",
    examples: {
      match: ["tar -tf a.tar", "tar tzf a.tgz", "tar -tvzf a x/y", "tar -czf y.tgz src"],
      noMatch: [
        "tar -xf a",
        "tar xzf a -C dir",
        "tar -tf a --checkpoint-action=exec=x",
        "tar -tf a -I x",
        "tar -tf host:a",
        "tar --to-command=x -xf a",
        "tar -cf y.tar -C / etc",
        "tar -tfI x a",
        "tar cfI y.tar x src",
        "tar -tf a -T list",
        "tar",
      ],
    },
  },
  {
    entry: "unzip",
    examples: {
      match: ["unzip -l a.zip", "unzip -Z1 a.zip"],
      noMatch: [
        "unzip a.zip",
        "unzip -o a.zip",
        "unzip a.zip -l",
        "unzip -l '*.zip'",
        "unzip -p a.zip -d out",
        "unzip -l *",
        "unzip -p a.zip .env",
      ],
    },
  },
  { entry: "zcat", examples: { match: ["zcat a.gz", "xzcat a b"], noMatch: ["zcat -S x a", "zstdcat -o out a"] } },
  {
    entry: "gzip",
    examples: {
      match: ["gzip -dc a.gz", "gunzip -c a.gz", "bzip2 -9c a"],
      noMatch: [
        "gzip a",
        "gunzip a.gz",
        "zstd -c --rm a",
        "zstd -c a -o out",
        "xz --files=x -c",
        "gzip -c *",
        "xz -t -d a.xz",
        "bzip2 -td a.bz2",
        "zstd --list --decompress a",
      ],
    },
  },
  // system.ts
  { entry: "pwd", examples: { match: ["pwd -L", "pwd -LP"], noMatch: ["pwd x"] } },
  {
    entry: "date",
    examples: {
      match: ["date -R", "date -u +%s", "date -d yesterday", "date +'%Y %m'", "date -Iseconds"],
      noMatch: ["date -s x", "date 010100", "date --set=x", "date -f x", "date -us x"],
    },
  },
  { entry: "uname", examples: { match: ["uname -srm", "uname --machine"], noMatch: ["uname x", "uname --kern"] } },
  { entry: "nproc", examples: { match: ["nproc --ignore=1", "nproc --all"], noMatch: ["nproc x"] } },
  { entry: "whoami", examples: { match: ["groups root", "tty -s", "cal 2024"], noMatch: ["whoami -x", "tty --x"] } },
  { entry: "id", examples: { match: ["id -nG", "id -r -u"], noMatch: ["id --us"] } },
  {
    entry: "hostname",
    examples: {
      match: ["hostname -s", "hostname -I"],
      noMatch: ["hostname evil", "hostname -F x", "hostname -f"],
    },
  },
  { entry: "uptime", examples: { match: ["uptime -s", "uptime --pretty"], noMatch: ["uptime x"] } },
  { entry: "sleep", examples: { match: ["sleep 1", "sleep 0.5s"], noMatch: ["sleep -x"] } },
  {
    entry: "which",
    examples: { match: ["which ls", "type -a ls", "whereis -b ls", "help -d cd"], noMatch: ["which --x node"] },
  },
  { entry: "printenv", examples: { match: ["printenv", "printenv PATH HOME"], noMatch: ["printenv --nul"] } },
  { entry: "locale", examples: { match: ["locale", "locale -a"], noMatch: ["locale --cat"] } },
  { entry: "free", examples: { match: ["free -w", "free -m -t"], noMatch: ["free -s 1", "free x"] } },
  { entry: "df", examples: { match: ["df -k dst", "df -T --total"], noMatch: ["df --sync", "df --hum"] } },
  { entry: "lsblk", examples: { match: ["lsblk", "lsblk -f"], noMatch: ["lsblk --sysroot x", "lsblk x"] } },
  {
    entry: "ps",
    examples: {
      match: ["ps aux", "ps -ef", "ps -o pid,ppid,cmd -p 1", "ps --sort=-rss -eo pid"],
      noMatch: [],
    },
  },
  {
    entry: "pgrep",
    examples: { match: ["pgrep -l bash", "pidof bash"], noMatch: ["pgrep -F x", "pgrep --signal 9 x"] },
  },
  {
    entry: "lsof",
    examples: { match: ["lsof -nP -iTCP:3000", "lsof -n a"], noMatch: ["lsof -i :3000", "lsof +D .", "lsof -n -r 2"] },
  },
  { entry: "ss", examples: { match: ["ss -tlnp", "ss -s"], noMatch: ["ss -K", "ss -r", "ss -F x", "ss -D x"] } },
  { entry: "netstat", examples: { match: ["netstat -tlnp"], noMatch: ["netstat -t", "netstat -nc"] } },
  {
    entry: "ip addr",
    examples: {
      match: ["ip addr", "ip a show", "ip route"],
      noMatch: ["ip link set lo down", "ip addr add x", "ip netns exec x y"],
    },
  },
  {
    entry: "dpkg",
    examples: { match: ["dpkg -l", "dpkg -s bash"], noMatch: ["dpkg -i x.deb", "dpkg --root=x -l", "dpkg -r x"] },
  },
  {
    entry: "dpkg-query",
    examples: {
      match: ["dpkg-query -W", "dpkg-query -l bash"],
      noMatch: ["dpkg-query --admindir=x -l", "dpkg-query -c x"],
    },
  },
  { entry: "command", examples: { match: ["command -v node"], noMatch: ["command ./x", "command -p ./x"] } },
  // viewers.ts
  {
    entry: "less",
    examples: {
      match: ["less a", "less -RFX a", "more a b"],
      noMatch: ["less +F a", "less -o out a", "less -k x a", "less --lesskey-src=x a", "less *"],
    },
  },
  {
    entry: "bat",
    examples: {
      match: ["bat a", "bat -p --paging=never a", "batcat -r 1:9 a"],
      noMatch: ["bat --pager=x a", "bat --diff a", "bat -P x --map-syntax a", "bat *"],
    },
  },
  {
    entry: "man",
    examples: {
      match: ["man ls", "man -k copy", "man 5 passwd", "man -w bash"],
      noMatch: ["man -P x ls", "man ./page", "man -H ls", "man -l a", "man -C x ls", "man --html=x ls"],
    },
  },
  // openssl.ts
  {
    entry: "openssl dgst",
    examples: {
      match: [],
      noMatch: ["openssl dgst -sign a b", "openssl dgst -out y a", "openssl dgst -engine x a", "openssl sha256 *"],
    },
  },
  // writers.ts
  {
    entry: "mkdir",
    examples: {
      match: ["mkdir -p a/b", "mkdir x y", "mkdir -m 755 y"],
      noMatch: ["mkdir -m 4755 x", "mkdir a*", "mkdir -Z x"],
    },
  },
  {
    entry: "touch",
    examples: { match: ["touch a b", "touch -d yesterday a", "touch -r a b"], noMatch: ["touch *", "touch --ref=x y"] },
  },
  { entry: "tee", examples: { match: ["tee a", "tee -a a b"], noMatch: ["tee --app a", "tee *", "tee -x a"] } },
  {
    entry: "truncate",
    examples: {
      match: ["truncate -s 0 a", "truncate --size=10K a b"],
      noMatch: ["truncate --siz=0 a", "truncate -s 0 *"],
    },
  },
  {
    entry: "cp",
    examples: {
      match: ["cp a b", "cp -r src dst", "cp a b dir/", "cp -t dir a b", "cp -a src/. dst"],
      noMatch: [
        "cp a*",
        "cp a",
        "cp -s a b",
        "cp --suffix=x a b",
        "cp -l a b",
        "cp -b a b",
        "cp -L a b",
        "cp a b ghost",
      ],
    },
  },
  {
    entry: "mv",
    examples: {
      match: ["mv a b", "mv a b dir/", "mv -t dir a b", "mv -v a y"],
      noMatch: ["mv *.a b", "mv a", "mv -b a b", "mv --suffix=x a b"],
    },
  },
  {
    entry: "ln",
    examples: {
      match: ["ln -s a y", "ln -sfn src y", "ln a y", "ln -s ../x dir/y"],
      noMatch: ["ln -sb a b", "ln *", "ln -s"],
    },
  },
  {
    entry: "rm",
    examples: {
      match: ["rm a", "rm -rf node_modules", "rm -- -x"],
      noMatch: ["rm -rf *", "rm --no-preserve-root -rf /", "rm --recurs x", "rm"],
    },
  },
  { entry: "rmdir", examples: { match: ["rmdir a", "unlink b"], noMatch: ["rmdir a*", "rmdir", "rmdir -p a/b"] } },
  {
    entry: "chmod",
    examples: {
      match: ["chmod +x a", "chmod 644 a b", "chmod u+rw,go-w a", "chmod -R 755 src"],
      noMatch: ["chmod 4755 a", "chmod u+s a", "chmod --reference=x a", "chmod +x *", "chmod -x a", "chmod a"],
    },
  },
];
