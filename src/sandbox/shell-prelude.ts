/** Where the shell keeps its line to us: a number that nobody uses by accident. */
const line = 219;

/**
 * What bash runs before the text, so that the text itself stays untouched byte for byte. The shell says that it is
 * ready and waits for a word from us: a shell whose runtime died in the meantime ends here and runs nothing. It
 * closes whatever descriptors our own parent left open. At the end it says where it is; a text with an EXIT trap of
 * its own, or that puts something else on this descriptor, just loses that.
 */
export const shellPrelude = `unset BASH_ENV
exec ${line}<&3 3<&- 4<&-
for REPLY in /proc/self/fd/*; do
  REPLY=\${REPLY##*/}
  [[ $REPLY -le 2 || $REPLY == ${line} ]] || eval "exec $REPLY<&-"
done
printf r >&${line}
IFS= read -r -N 1 -u ${line} || exit 126
unset REPLY
trap '{ set +x; [[ -S /proc/self/fd/${line} ]] && pwd -P >&${line}; } >/dev/null 2>&1' EXIT
`;

/** The channel is descriptor 3 and the prelude descriptor 4 of every shell. */
export const preludeVariable = { BASH_ENV: "/dev/fd/4" };

/** The last argument becomes `$0`, the name in the shell's own messages. */
export function shellArguments(bash: string, text: string): readonly [string, ...string[]] {
  return [bash, "--noprofile", "--norc", "-c", text, "bash"];
}
