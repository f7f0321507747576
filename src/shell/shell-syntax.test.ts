import { describe, expect, test } from "vitest";
import type { Dialect } from "../programs/program-entry.ts";
import { parseShell } from "./parse-shell.ts";
import type { Assignment, ShellNode, ShellRedirect, WordPiece, WordTemplate } from "./tree.ts";

/** In front of a brace it would start a substitution of ours. */
const $ = "$";

type Row = readonly [text: string, tree: string];

describe("what a text is read as", () => {
  test.each<Row>([
    ["a 'b c'd\"e f\"g\\ h", "<a 'b c'+d+'e f'+g+' '+h>"],
    ["a '' \"\"", "<a '' ''>"],
    ["a 'b'\"c\"", "<a 'bc'>"],
    ["a \\'\\\"", "<a ''\"'>"],
    ["a ~ ~/b c~ '~' \\~", "<a HOME HOME+/b c~ '~' '~'>"],
    ["a ~root", "?"],
    ["a x=~", "?"],
    ["a b:~", "?"],
    ["a {~,b}", "?"],
    ["a 'b'~", "<a 'b'+~>"],
    ["a {b,c}~", "?"],
    ["a {~", "?"],
    ['a $b "$b" $b$c x$b"$c"', "<a $b ''+\"$b\" $b+$c x+$b+''+\"$c\">"],
    [`a ${$}{b} "${$}{b}"`, "<a $b ''+\"$b\">"],
    ["a $1 $? $# $$ $! $@ $*", "<a $1 $? $# $$ $! $@ $*>"],
    [`a ${$}{1} ${$}{?} ${$}{#} ${$}{@}`, "<a $1 $? $# $@>"],
    ["a $10", "<a $1+0>"],
    ["a $b_1.c", "<a $b_1+.c>"],
    [`a ${$}{b:-c} "${$}{b:-c d}"`, "?"],
    [`a ${$}{b%c} ${$}{b//c/d} ${$}{b^^} ${$}{b:1:2}`, "?"],
    [`a ${$}{b[0]}`, "?"],
    [`a ${$}{#b} "${$}{#b}"`, "?"],
    [`a ${$}{b:1:-2}`, "?"],
    [`a ${$}{b:=c}`, "?"],
    [`a ${$}{b:?c}`, "?"],
    [`a ${$}{b?c}`, "?"],
    [`a ${$}{!b}`, "?"],
    [`a ${$}{b@P}`, "?"],
    [`a ${$}{b:-$c}`, "?"],
    [`a ${$}{b:-'c'}`, "?"],
    [`a ${$}{b:-(c)}`, "?"],
    [`a ${$}{b:c}`, "?"],
    [`a ${$}{#1}`, "?"],
    [`a ${$}{1:-x}`, "?"],
    [`a ${$}{}`, "?"],
    ['a $((1 + b)) "$((c))"', "?"],
    ["a $[1]", "?"],
    [`a ${$}{#b[0]}`, "?"],
    [`a ${$}{b[$(c)]}`, "?"],
    [`a ${$}{1[0]}`, "?"],
    [`a ${$}{b[0]:-c}`, "?"],
    ['a $(b c) "$(d)" x$(e)y', "<a $(<b c>) ''+\"$(<d>)\" x+$(<e>)+y>"],
    ['a `b c` "`d`"', "<a $(<b c>) ''+\"$(<d>)\">"],
    ["a `b \\`c\\``", "?"],
    ['a "`b "c"`"', "?"],
    ['a `b "c"`', "<a $(<b 'c'>)>"],
    ["a $((b); c)", "?"],
    ["a $( (b) )", "<a $(copy(<b>))>"],
    ['a "$(b "$(c)")"', "<a ''+\"$(<b ''+\"$(<c>)\">)\">"],
    ["a $()", "<a $()>"],
    ["a $(b", "error: unterminated command substitution"],
    ["a <(b) <(c | d)", '<a "pipe$(<b>)" "pipe$((<c> | <d>))">'],
    ["a x<(b)", "?"],
    ["a <(b)x", "?"],
    ["a >(b)", "?"],
    ['a "<(b)"', "<a '<(b)'>"],
    ["a <(b", "error: unterminated process substitution"],
    ["a '<(b)'", "<a '<(b)'>"],
    ["a $", "<a $>"],
    ["a b$", "<a b$>"],
    ['a "$"', "<a '$'>"],
    ['a "b$ c"', "<a 'b$ c'>"],
    ["a $'b\\nc\\td\\\\e\\'f\\\"g'", "<a 'b\nc\td\\e'f\"g'>"],
    ["a $'\\x41'", "?"],
    ["a $'b", "error: unterminated ANSI-C quote"],
    ['a $"b"', "?"],
    ["a \"$'b'\"", "?"],
    ['a "b\\$c\\`d\\\\e\\"f\\g"', "<a 'b$c`d\\e\"f\\g'>"],
    ["a \"b'c\" 'd\"e'", "<a 'b'c' 'd\"e'>"],
    ['a "b\\\nc"', "?"],
    ["a b\\\nc", "?"],
    ['a "$\\\nb"', "?"],
    ["a b\\", "?"],
    ["a \"b\nc\" 'd\ne'", "<a 'b\nc' 'd\ne'>"],
    ["a \"é\" 'é'", "<a 'é' 'é'>"],
    ["a é", "?"],
    ["a b\u007f", "?"],
    ['a "$/ $. $, $: $% $^ $~ $+ $= $] $} $) $|"', "<a '$/ $. $, $: $% $^ $~ $+ $= $] $} $) $|'>"],
    ['a "$;"', "?"],
    ['a "$-"', "?"],
    ["a $-", "?"],
    ["a $%", "?"],
  ])("words: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a {b,c} x{b,c}y", "<a b c xby xcy>"],
    ["a {b,c}{d,e}", "<a bd be cd ce>"],
    ["a {1..3} {3..1} {a..c} {c..a} {-1..1}", "<a 1 2 3 3 2 1 a b c c b a -1 0 1>"],
    ["a {1..65}", "?"],
    [
      "a {1..64}",
      "<a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64>",
    ],
    ["a {01..3}", "?"],
    ["a {1..3..2}", "?"],
    ["a {a..3}", "?"],
    ["a {A..C}", "?"],
    ["a {1..}", "?"],
    ["a {b}", "<a {b}>"],
    ["a {}", "<a {}>"],
    ["a {b,}", "?"],
    ["a {,b}", "?"],
    ["a x{,b}", "<a x xb>"],
    ["a {,}", "?"],
    ["a {b,c", "?"],
    ["a b,c}", "<a b,c}>"],
    ["a {b,c}}", "?"],
    ["a {{b,c}", "?"],
    ["a '{b,c}' \"{b,c}\" \\{b,c}", "<a '{b,c}' '{b,c}' '{'+b,c}>"],
    ["a {'b c',d}", "<a 'b c' d>"],
    ['a {"$b",c}', "<a ''+\"$b\" c>"],
    ["a {$b,c}", "?"],
    ["a {$(b),c}", "?"],
    ['a "$b"{c,d}', "<a ''+\"$b\"+c ''+\"$b\"+d>"],
    ["a $b{c,d}", "?"],
    ["a {b,c}$d", "?"],
    ["a {b..c}", "<a b c>"],
    ["a x..y", "<a x..y>"],
    ["a x,y", "<a x,y>"],
    ["a {x..y", "?"],
    ["a {b,c}{d..e}", "<a bd be cd ce>"],
    ["x={b,c}", "<x={b,c}>"],
    ["a >{b,c}", "?"],
    ["for i in {1..3}; do a; done", "for(i in 1 2 3 ? <a>)"],
    [
      "a {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
      "<a aaaaaa aaaaab aaaaba aaaabb aaabaa aaabab aaabba aaabbb aabaaa aabaab aababa aababb aabbaa aabbab aabbba aabbbb abaaaa abaaab abaaba abaabb ababaa ababab ababba ababbb abbaaa abbaab abbaba abbabb abbbaa abbbab abbbba abbbbb baaaaa baaaab baaaba baaabb baabaa baabab baabba baabbb babaaa babaab bababa bababb babbaa babbab babbba babbbb bbaaaa bbaaab bbaaba bbaabb bbabaa bbabab bbabba bbabbb bbbaaa bbbaab bbbaba bbbabb bbbbaa bbbbab bbbbba bbbbbb>",
    ],
    ["a {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "?"],
    ["a * ? [b] b*c '*'", "<a * ? [b] b*c '*'>"],
    ["a [!b] [^b]", "<a [!b] [^b]>"],
    ["a @ % ^ + = : , . - _ / ! ]", "<a @ % ^ + = : , . - _ / ! ]>"],
    ["a =b", "<a =b>"],
    ["a b=c", "<a b=c>"],
    ['a b="c d"', "<a b=+'c d'>"],
    ["a b='c'", "<a b=+'c'>"],
    ["a b=$c", "<a b=+$c>"],
    ['a b="$c"', "<a b=+''+\"$c\">"],
    ["a b={c,d}", "<a b=c b=d>"],
    ["a b=~", "?"],
    ["a b=*", "<a b=*>"],
    ["a b+=c", "<a b+=c>"],
    ["a b[0]=c", "<a b[0]=c>"],
    ["a b=(c)", "error: unexpected token '('"],
    ["[ b ]", "<[ b ]>"],
    ['"a" b', "<'a' b>"],
    ["'a'b c", "<'a'+b c>"],
    ["\\a b", "<'a' b>"],
    ["$a b", "<$a b>"],
    ['"$a" b', "<''+\"$a\" b>"],
    ["a$b c", "<a+$b c>"],
    [`${$}{a} b`, "<$a b>"],
    ["$(a) b", "?"],
    ["`a` b", "?"],
    ["a* b", "?"],
    ["a? b", "?"],
    ["'a*' b", "<'a*' b>"],
    ["~/a b", "?"],
    ["{a,b} c", "?"],
    ["{a,b}", "?"],
    ["'a b' c", "?"],
    ["é b", "?"],
    ["'é' b", "?"],
    ['"a$" b', "?"],
    ["a$ b", "?"],
    ["$((1)) b", "?"],
    ["[[ b", "?"],
    ["]] b", "error: unexpected token ']]'"],
    ["[a b", "?"],
    ["!a", "<!a>"],
  ])("braces, patterns and command words: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a=b", "<a=b>"],
    ["a=b c=d e", "<a=b c=d e>"],
    ["a=", "<a=>"],
    ["a='b c' d", "<a='b c' d>"],
    ["a=$b c", "<a=$b c>"],
    ['a="$b" c', "<a=''+\"$b\" c>"],
    ["a=~ b", "<a=HOME b>"],
    ["a=~/x:~/y b", "?"],
    ["a=$(b) c", "<a=$(<b>) c>"],
    ["a=b$", "<a=b$>"],
    ["a = b", "<a = b>"],
    ["a=<(b) c", "?"],
    ["declare a=b", "<declare a=b>"],
    ["export a=b c", "<export a=b c>"],
    ["a=* b", "<a=* b>"],
    ["a[k+1]=b", "?"],
    ["a[ k ]=b", "?"],
    ["a[k]+=b", "?"],
    ["a[k]=(b)", "?"],
    ["a[$(b)]=c", "?"],
    ["a= b", "<a= b>"],
  ])("assignments: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a >b", "<a 1:write(b)>"],
    ["a >>b", "<a 1:write(b)>"],
    ["a <b", "<a 0:read(b)>"],
    ["a >|b", "<a 1:write(b)>"],
    ["a 2>b", "<a 2:write(b)>"],
    ["a 2>>b 1>c", "<a 2:write(b) 1:write(c)>"],
    ["a >b <c 2>d", "<a 1:write(b) 0:read(c) 2:write(d)>"],
    ["a >&2", "<a 1:copy(2)>"],
    ["a 2>&1", "<a 2:copy(1)>"],
    ["a 3<&0", "<a 3:copy(0)>"],
    ["a >&b", "?"],
    ["a >&-", "?"],
    ["a 2>&-", "?"],
    ["a <&-", "?"],
    ["a 2>&1-", "?"],
    ["a >&$b", "?"],
    ["a >& 2", "<a 1:copy(2)>"],
    ["a >/dev/null", "<a 1:nothing>"],
    ["a 2>/dev/null", "<a 2:nothing>"],
    ["a </dev/null", "<a 0:nothing>"],
    ["a >/dev/stdout", "<a 1:sink>"],
    ["a >/dev/stderr 2>/dev/stdout", "<a 1:sink 2:sink>"],
    ["a >'/dev/null'", "<a 1:nothing>"],
    ["a >/dev/nul$l", "<a 1:write(/dev/nul+$l)>"],
    ['a > "b c"', "<a 1:write('b c')>"],
    ["a >$b", "<a 1:write($b)>"],
    ["a >~/b", "<a 1:write(HOME+/b)>"],
    ["a 00>b", "?"],
    ["a 10>b", "?"],
    ["a {b}>c", "?"],
    ["a 2 >b", "<a 2 1:write(b)>"],
    ["a b>c", "<a b 1:write(c)>"],
    ["a 1>b", "<a 1:write(b)>"],
    ["a >b c", "<a c 1:write(b)>"],
    [">b", "<1:write(b)>"],
    [">b a", "<a 1:write(b)>"],
    ["a >b >c", "<a 1:write(b) 1:write(c)>"],
    ['a <<<"b $c"', "<a 0:input('b '+\"$c\")>"],
    ["a 3<<<b", "<a 3:input(b)>"],
    ["a <<<{b,c}", "<a 0:input({b,c})>"],
    ["a <<< b", "<a 0:input(b)>"],
    ["a >", "error: expected redirect target"],
    ["a > >(b)", "?"],
    ["a < <(b)", '<a 0:read("pipe$(<b>)")>'],
    ["a >b* ", "<a 1:write(b*)>"],
    ["a \t>\tb", "<a 1:write(b)>"],
    ["a >\\\nb", "?"],
  ])("redirections: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a <<E\nb $c\nE", "<a 0:input('b '+\"$c\"+'\n')>"],
    ["a <<'E'\nb $c\nE", "<a 0:input('b $c\n')>"],
    ['a <<"E"\nb\nE', "<a 0:input('b\n')>"],
    ["a <<\\E\nb $c\nE", "<a 0:input('b $c\n')>"],
    ["a <<-E\n\tb\n\tE", "<a 0:input('b\n')>"],
    ["a <<-'E'\n\tb $c\n\tE", "<a 0:input('b $c\n')>"],
    ["a <<E\nE", "<a 0:input('')>"],
    ["a <<E\nb `c` $(d)\nE\ne", "<a 0:input('b '+\"$(<c>)\"+' '+\"$(<d>)\"+'\n')> ; <e>"],
    ["a <<E && b\nc\nE", "<a 0:input('c\n')> && <b>"],
    ["a <<E | b\nc\nE\nd", "(<a 0:input('c\n')> | <b>) ; <d>"],
    ["a <<E\nb", "?"],
    ["a <<E\nb\n E", "?"],
    ["a <<E\n\"b'\nE", "<a 0:input('\"b'\n')>"],
    ['a <<E\n\\$b \\\\ \\` \\"\nE', "<a 0:input('$b \\ ` \\\"\n')>"],
    ["a <<E\nb\\\nc\nE", "<a 0:input('bc\n')>"],
    ["a <<E\n$((1))\nE", "<a 0:input('\n')>"],
    ["a <<E\n$\nE", "<a 0:input('$\n')>"],
    ["a <<E\n~ *\nE", "<a 0:input('~ *\n')>"],
    ["a <<E <<F\nb\nE\nc\nF", "?"],
    ["a <<E >b\nc\nE", "<a 0:input('c\n') 1:write(b)>"],
    ["a 3<<E\nb\nE", "<a 3:input('b\n')>"],
    ["a <<E b\nc\nE", "<a b 0:input('c\n')>"],
    ["a <<E; b\nc\nE", "<a 0:input('c\n')> ; <b>"],
    ["a <<'E F'\nb\nE F", "?"],
    ["a << E\nb\nE", "<a 0:input('b\n')>"],
    ["a <<$E\nb\n$E", "?"],
    ["{ a; } <<E\nb\nE", "group(group(<a>)) 0:input('b\n')"],
    ["$(a <<E\nb\nE\n)", "?"],
    ["a $(b <<E\nc\nE\n)", "<a $(<b 0:input('c\n')>)>"],
    ['a "$(b <<E\nc\nE\n)"', "<a ''+\"$(<b 0:input('c\n')>)\">"],
    ["a <<E\nb\nE\n\nc", "<a 0:input('b\n')> ; <c>"],
    ["a <<E # d\nb\nE", "<a 0:input('b\n')>"],
    ["a <<E\nE2\nE", "<a 0:input('E2\n')>"],
  ])("here-documents: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a; b", "<a> ; <b>"],
    ["a\nb", "<a> ; <b>"],
    ["a;b;", "<a> ; <b>"],
    ["a && b || c", "<a> && <b> || <c>"],
    ["a &&\nb", "<a> && <b>"],
    ["a ||\n\n b", "<a> || <b>"],
    ["a | b", "(<a> | <b>)"],
    ["a | b |& c", "(<a> |& <b> |& <c>)"],
    ["a |\nb", "(<a> | <b>)"],
    ["a & b", "background(<a>) ; <b>"],
    ["a &", "background(<a>)"],
    ["a & b & c", "background(<a>) ; background(<b>) ; <c>"],
    ["a && b &", "background(<a> && <b>)"],
    ["a; b & c; d", "<a> ; background(<b>) ; <c> ; <d>"],
    ["! a", "group(<a>)"],
    ["! a | b", "(<a> | <b>)"],
    ["! ! a", "group(<a>)"],
    ["time -p a", "<time -p a>"],
    ["time a | b", "(<a> | <b>)"],
    ["! time a", "group(<a>)"],
    ["time ! a", "group(<a>)"],
    ["# c", ""],
    ["a # b\nc", "<a> ; <c>"],
    ["a;# b\nc", "<a> ; <c>"],
    ["a \\\n b", "<a b>"],
    [" a ", "<a>"],
    ["\n\na\n\n", "<a>"],
    [" ", ""],
    ["\\\n", "?"],
    [";", "error: unexpected token ';'"],
    ["a;;b", "error: unexpected token ';;'"],
    ["a ; ; b", "error: unexpected token ';'"],
    ["&& a", "error: unexpected token '&&'"],
    ["a && && b", "error: expected command after '&&'"],
    ["a | | b", "error: expected command after '|'"],
    ["a & && b", "error: unexpected token '&&'"],
    ["a\t\tb", "<a b>"],
    ["a  &&  b", "<a> && <b>"],
    ["a&&b||c|d", "<a> && <b> || (<c> | <d>)"],
    ["{ a; }", "group(<a>)"],
    ["{ a; b; }", "group(<a> ; <b>)"],
    ["{\na\n}", "group(<a>)"],
    ["(a)", "copy(<a>)"],
    ["( a; b )", "copy(<a> ; <b>)"],
    ["(a) && b", "copy(<a>) && <b>"],
    ["((a) )", "?"],
    ["( (a) )", "copy(copy(<a>))"],
    ["{ a; } >b", "group(group(<a>)) 1:write(b)"],
    ["(a) >b 2>&1", "group(copy(<a>)) 1:write(b) 2:copy(1)"],
    ["{ a; } | b", "(group(<a>) | <b>)"],
    ["{ }", "error: expected command in brace group"],
    ["()", "error: expected command in subshell"],
    ["{ a }", "error: expected '}' to close brace group"],
    ["{a;}", "error: unexpected token '}'"],
    ["{ a; }; b", "group(<a>) ; <b>"],
    ["(a)b", "error: unexpected token 'b'"],
    ["(a) b", "error: unexpected token 'b'"],
    ["{ a; } b", "error: unexpected token 'b'"],
    ["{ (a); { b; }; }", "group(copy(<a>) ; group(<b>))"],
    ["if a; then b; fi", "if(<a> ? <b>)"],
    ["if a; then b; else c; fi", "if(<a> ? <b> : <c>)"],
    ["if a; then b; elif c; then d; fi", "if(<a> ? <b> : <c> ? <d>)"],
    ["if a; then b; elif c; then d; elif e; then f; else g; fi", "if(<a> ? <b> : <c> ? <d> : <e> ? <f> : <g>)"],
    ["if a\nthen\nb\nfi", "if(<a> ? <b>)"],
    ["if a; b; then c; d; fi", "if(<a> ; <b> ? <c> ; <d>)"],
    ["if a; then b; fi >c", "group(if(<a> ? <b>)) 1:write(c)"],
    ["if a; then b; fi | c", "(if(<a> ? <b>) | <c>)"],
    ["if a & then b; fi", "if(background(<a>) ? <b>)"],
    ["if a; then b & fi", "if(<a> ? background(<b>))"],
    ["if a; then b & else c & fi", "if(<a> ? background(<b>) : background(<c>))"],
    ["if (a) then b; fi", "if(copy(<a>) ? <b>)"],
    ["if a; then; fi", "error: expected command after 'then'"],
    ["if; then a; fi", "error: expected command after 'if'"],
    ["if a; then b", "error: expected 'fi' to close 'if'"],
    ["if ! a; then b; fi", "if(group(<a>) ? <b>)"],
    ["if a && b; then c; fi", "if(<a> && <b> ? <c>)"],
    ["if a; then # x\nb; fi", "if(<a> ? <b>)"],
    ["if a; then b; else c & fi", "if(<a> ? <b> : background(<c>))"],
    ["if a; then b; elif c & then d & fi", "if(<a> ? <b> : background(<c>) ? background(<d>))"],
    ["while a; do b; done", "while(<a> ? <b>)"],
    ["until a; do b; done", "until(<a> ? <b>)"],
    ["while a\ndo\nb\ndone", "while(<a> ? <b>)"],
    ["while a; do b; done <c", "group(while(<a> ? <b>)) 0:read(c)"],
    ["while a; do b & done", "while(<a> ? background(<b>))"],
    ["while a; do b; done & c", "background(while(<a> ? <b>)) ; <c>"],
    ["while :; do a; b; done", "while(<:> ? <a> ; <b>)"],
    ["while a; do; done", "error: expected command after 'do'"],
    ["while read x; do a $x; done < <(b)", 'group(while(<read x> ? <a $x>)) 0:read("pipe$(<b>)")'],
    ["while a; do b; done | c", "(while(<a> ? <b>) | <c>)"],
    ["for i in a b; do c; done", "for(i in a b ? <c>)"],
    ["for i in a\ndo b\ndone", "for(i in a ? <b>)"],
    ['for i in $a "$b"; do c $i; done', "for(i in $a ''+\"$b\" ? <c $i>)"],
    ["for i in *; do a; done", "for(i in * ? <a>)"],
    ["for i; do a; done", "?"],
    ["for i in; do a; done", "?"],
    ["for i in a; { b; }", "?"],
    ["for i in a b # x\ndo c; done", "for(i in a b ? <c>)"],
    ["for i in ~x; do c; done", "?: <c>"],
    ["for i in a; do b & done", "for(i in a ? background(<b>))"],
    ["for i in {a,b}; do c; done", "for(i in a b ? <c>)"],
    ["for i in a; do b; done; c", "for(i in a ? <b>) ; <c>"],
    ["for i in $(a); do b; done", "for(i in $(<a>) ? <b>)"],
    ["for i\nin a; do b; done", "?"],
    ["for i in a b; do\n c\n d\ndone", "for(i in a b ? <c> ; <d>)"],
    ["case a in b) c;; esac", "case(a b ? <c>)"],
    ["case $a in b|c) d;; *) e;; esac", "case($a b c * ? <d> : <e>)"],
    ["case a in (b) c;; esac", "case(a b ? <c>)"],
    ["case a in b) ;; esac", "case(a b ? )"],
    ["case a in b) c; d;; esac", "case(a b ? <c> ; <d>)"],
    ["case a in\nb)\n c\n ;;\nesac", "case(a b ? <c>)"],
    ["case a in b) c;& d) e;; esac", "?"],
    ["case a in b) c;;& esac", "?"],
    ["case a in b) c; esac", "?"],
    ["case a in esac", "case(a ? )"],
    ["case a in b) c;; esac >d", "group(case(a b ? <c>)) 1:write(d)"],
    ["case \"$a\" in 'b c') d;; esac", "case(''+\"$a\" 'b c' ? <d>)"],
    ["case ~x in b) c;; esac", "?"],
    ["case a in ~x) c;; esac", "?"],
    ["case a in b) c & ;; esac", "case(a b ? background(<c>))"],
    ["case a in b | c ) d ;; esac", "case(a b c ? <d>)"],
    ["case a in b) c # x\n;; esac", "case(a b ? <c>)"],
    ["case a in {b,c}) d;; esac", "case(a {b,c} ? <d>)"],
    ["case a in [b-c]*) d;; esac", "case(a [b-c]* ? <d>)"],
    ["case a\nin b) c;; esac", "?"],
    ["case a in b) c;; # x\n d) e;; esac", "case(a b d ? <c> : <e>)"],
    ["[[ -f a ]]", "<'test' '-f' 'a'>"],
    ["[[ a == b ]]", "<'test' 'a' '==' 'b'>"],
    ["[[ $a == b* && -n $c ]]", "<'test' \"$a\" '==' 'b*'> ; <'test' '-n' \"$c\">"],
    ["[[ ! -f a ]]", "<'test' '-f' 'a'>"],
    ["[[ ! ! -f a ]]", "<'test' '-f' 'a'>"],
    ["[[ a =~ b$ ]]", "?"],
    ["[[ a =~ b$c ]]", "?"],
    ["[[ a < b ]]", "<'test' 'a' '<' 'b'>"],
    ["[[ a -nt b ]]", "<'test' 'a' '-nt' 'b'>"],
    ["[[ -f a ]] && b", "<'test' '-f' 'a'> && <b>"],
    ["[[ -f a ]] >b", "group(<'test' '-f' 'a'>) 1:write(b)"],
    ["[[ -f ~x ]]", "?"],
    ["[[\n-f a\n]]", "<'test' '-f' 'a'>"],
    ["[[ -f a && -f b && -f c ]]", "<'test' '-f' 'a'> ; <'test' '-f' 'b'> ; <'test' '-f' 'c'>"],
    ["[[ a == {b,c} ]]", "<'test' 'a' '==' '{b,c}'>"],
    ["[[ a == b", "?"],
    ['[[ -z "$a" || $b != c ]]', "<'test' '-z' ''+\"$a\"> ; <'test' \"$b\" '!=' 'c'>"],
    ["[[ a = b ]]", "<'test' 'a' '=' 'b'>"],
    ["[[ a -eq 1 ]]", "?"],
    ['[[ a =~ "b c" ]]', "?"],
    ["[[ a =~ b;c ]]", "?"],
    ["[[ ! ( -f a ) ]]", "<'test' '-f' 'a'>"],
    ["[[ !-f a ]]", "?"],
    ["[[ a == ~ ]]", "<'test' 'a' '==' HOME>"],
    ["((i++))", "?"],
    ["(( a = b + 1 ))", "?"],
    ["((a)) && b", "? && <b>"],
    ["((a\n+b))", "?"],
    ["((a)) >b", "group(?) 1:write(b)"],
    ["((a", "?"],
    ["f() { a; } >b", "group(?: group(<a>)) 1:write(b)"],
    ["f() if a; then b; fi", "?"],
    ["coproc a", "?"],
    ["select i in a; do b; done", "?"],
    ["a (b)", "error: unexpected token ')'"],
    ["a $(b; c)", "<a $(<b> ; <c>)>"],
    ["a $(b\nc)", "<a $(<b> ; <c>)>"],
    ["a $(b;)", "<a $(<b>)>"],
    ["a $( b )", "<a $(<b>)>"],
    ["a $(b # c\n)", "<a $(<b>)>"],
    ["a $(b & c)", "<a $(background(<b>) ; <c>)>"],
    ["a `b; c`", "<a $(<b> ; <c>)>"],
    ["a ` b `", "<a $(<b>)>"],
    ["a $(b \\\n c)", "<a $(<b c>)>"],
    ["a $(if b; then c; fi)", "<a $(if(<b> ? <c>))>"],
    ["a $(case b in c) d;; esac)", "<a $(case(b c ? <d>))>"],
    ["a $(case b in (c) d;; esac)", "<a $(case(b c ? <d>))>"],
    ["a `b | c`", "<a $((<b> | <c>))>"],
    ["a $(#b\n)", "<a $()>"],
    ["a $(b)$(c)", "<a $(<b>)+$(<c>)>"],
    ["a $(b;;)", "?"],
    ['a "$(b) $c"', "<a ''+\"$(<b>)\"+' '+\"$c\">"],
    ["a $(<b)", "<a $(<0:read(b)>)>"],
    ["a $(b >c)", "<a $(<b 1:write(c)>)>"],
    ["a\rb", "?"],
    ["a\u00a0b", "?"],
    ["a\u2028b", "?"],
    ["a\u200bb", "?"],
    ["a \u202e", "?"],
    ["a 'b\u200b'", "?"],
    ["a '\ud800'", "?"],
    ["a '\u3000'", "?"],
    ["a '\u0000'", "?"],
    ["a '\u001b'", "?"],
    ["a '\t'", "<a '\t'>"],
    ["a '😀'", "<a '😀'>"],
    ["a '\u00ad'", "?"],
    ["a '\ufeff'", "?"],
    ["a '\u2007'", "?"],
    ["a '\u1680'", "?"],
    ["a '\u205f'", "?"],
  ])("lists and compound commands: %j", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test.each<Row>([
    ["a b", "<a b>"],
    ["a | b", "(<a> | <b>)"],
    ["! a", "group(<a>)"],
    ["a {b}", "<a {b}>"],
    ["a [!b]", "<a [!b]>"],
    ["a ^b", "<a ^b>"],
    ["a >b", "<a 1:write(b)>"],
    ["a >>b", "<a 1:write(b)>"],
    ["a <b", "<a 0:read(b)>"],
    ["a >|b", "<a 1:write(b)>"],
    ["a 2>&1", "<a 2:copy(1)>"],
    ["a <&0", "<a 0:copy(0)>"],
    ["export a=b", "<export a=b>"],
    ["a=b", "<a=b>"],
    ["for i in b; do c; done", "for(i in b ? <c>)"],
    ["if a; then b; fi", "if(<a> ? <b>)"],
    ["case a in b) c;; esac", "case(a b ? <c>)"],
    ["a <<E\nb\nE", "<a 0:input('b\n')>"],
    ["a ~", "<a HOME>"],
    ["decl$x", "<decl+$x>"],
    ["(a)", "copy(<a>)"],
    ["{ a; }", "group(<a>)"],
    ["a=(b)", "?"],
    ["mydeclare a", "<mydeclare a>"],
    ["declares a", "<declares a>"],
  ])("by the rules of any sh: %j", (text, expected) => {
    expect(tree(text, "sh")).toBe(expected);
  });
});

/**
 * A tree on one line. Words stand as their pieces, joined by `+`: what is quoted in quotes, a leading `~` as HOME, a
 * variable whose value an operator changes with what it becomes. `?` is what is not understood, and why.
 */
function tree(text: string, dialect?: Dialect): string {
  const { root, syntaxError } = parseShell(text, dialect);
  return syntaxError === undefined ? nodeText(root) : `error: ${syntaxError}`;
}

function nodeText(node: ShellNode): string {
  switch (node.kind) {
    case "simple": {
      const parts = [
        ...node.assignments.map(assignmentText),
        ...node.words.map(wordText),
        ...node.redirects.map(redirectText),
      ];
      return `<${parts.join(" ")}>`;
    }
    case "sequence":
      return node.items
        .map(({ node: item, before }) => `${before === "start" ? "" : `${before} `}${nodeText(item)}`)
        .join(" ");
    case "pipeline":
      return `(${node.commands.map(nodeText).join(node.withErrors ? " |& " : " | ")})`;
    case "group":
      return [`${node.copy ? "copy" : "group"}(${nodeText(node.body)})`, ...node.redirects.map(redirectText)].join(" ");
    case "background":
      return `background(${nodeText(node.body)})`;
    case "conditional": {
      const branches = node.branches.map(({ test, body }) => `${nodeText(test)} ? ${nodeText(body)}`);
      return `if(${[...branches, ...(node.otherwise === undefined ? [] : [nodeText(node.otherwise)])].join(" : ")})`;
    }
    case "loop":
      return `${node.word}(${nodeText(node.test)} ? ${nodeText(node.body)})`;
    case "for-each":
      return `for(${node.name} in ${node.words.map(wordText).join(" ")} ? ${nodeText(node.body)})`;
    case "choice":
      return `case(${node.words.map(wordText).join(" ")} ? ${node.bodies.map(nodeText).join(" : ")})`;
    case "opaque":
      return node.body === undefined ? "?" : `?: ${nodeText(node.body)}`;
  }
}

function assignmentText({ name, value }: Assignment): string {
  return `${name}=${wordText(value)}`;
}

function wordText({ pieces }: WordTemplate): string {
  return pieces.map(pieceText).join("+");
}

function pieceText(piece: WordPiece): string {
  switch (piece.kind) {
    case "text":
      return piece.quoted ? `'${piece.value}'` : piece.value;
    case "home":
      return "HOME";
    case "variable":
      return quotedText(`$${piece.name}`, piece.quoted);
    case "command":
      return quotedText(`${piece.pipe ? "pipe" : ""}$(${nodeText(piece.body)})`, piece.quoted);
  }
}

function quotedText(text: string, quoted: boolean): string {
  return quoted ? `"${text}"` : text;
}

function redirectText(redirect: ShellRedirect): string {
  switch (redirect.kind) {
    case "input":
      return `${redirect.descriptor}:input(${wordText(redirect.content)})`;
    case "copy":
      return `${redirect.descriptor}:copy(${redirect.source})`;
    case "sink":
      return `${redirect.descriptor}:${redirect.empty ? "nothing" : "sink"}`;
    default:
      return `${redirect.descriptor}:${redirect.kind}(${wordText(redirect.target)})`;
  }
}
