import fc from "fast-check";

/** Programs that mostly look, and have flags that do not. */
const programs =
  "cat tac ls head tail wc sort uniq cut paste tr grep egrep rg find fd sed awk diff cmp comm file stat du df nl od xxd hexdump base64 md5sum sha256sum strings tree jq column fold fmt rev join expand realpath readlink basename dirname date env printenv id uname hostname seq yes shuf split tee cp mv touch mkdir rm ln tar gzip zcat unzip zip xargs test echo printf type which command".split(
    " ",
  );
const git =
  "status log diff show blame grep branch tag remote stash reflog rev-parse ls-files ls-tree cat-file describe shortlog config worktree notes for-each-ref".split(
    " ",
  );

const shortFlag = fc
  .array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHILNOPRSTUXZ0123"), { minLength: 1, maxLength: 3 })
  .map((letters) => `-${letters.join("")}`);
const longFlag = fc.constantFrom(
  ..."--all --output=made --output made --in-place --write --version --help --color=always --null --recursive --delete --force --exec=ls --pre=ls --to-stdout --compress-program=./run.sh --files0-from=README.md --name-only --stat --list --format=x --no-index --ext-diff --textconv --open-files-in-pager=ls --append --update --verbose --debug --set=now --no-pager --outp=made --tex".split(
    " ",
  ),
);
const operand = fc.constantFrom(
  ..."README.md src/a.ts src/b.ts src . made package.json '*.ts' src/*.ts x 1 1,2p s/a/b/ s/a/b/w '{ print }' '.name' - -- +x HEAD HEAD:README.md main 'a b' -delete -exec -print -name -fprint made , \\; {}".split(
    " ",
  ),
);
const tail = fc.constantFrom(
  "",
  "",
  "",
  "",
  " | head -1",
  " | sort",
  " 2>&1",
  " < README.md",
  " && pwd",
  " > /dev/null",
);

/** One command with flags and operands that nobody chose with care. Most mean nothing; some mean harm. */
export const flagSoup: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...programs) },
      { weight: 1, arbitrary: fc.constantFrom(...git).map((name) => `git ${name}`) },
    ),
    fc.array(fc.oneof({ weight: 3, arbitrary: shortFlag }, { weight: 1, arbitrary: longFlag }), { maxLength: 2 }),
    fc.array(operand, { maxLength: 3 }),
    tail,
  )
  .map(([program, flags, operands, end]) => `${[program, ...flags, ...operands].join(" ")}${end}`);
