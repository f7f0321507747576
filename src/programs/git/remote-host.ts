const name = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const schemes = ["https:", "http:", "ssh:", "git:", "git+ssh:", "ssh+git:"];

/**
 * The machine behind a remote as it stands on the command line. A remote's name says nothing about it. Addresses that
 * run a helper (`ext::`) or are a directory of this machine are not understood.
 */
export function remoteHost(remote: string): string | { readonly why: string } {
  if (/^[\w][\w.-]*$/.test(remote)) return "the git remote";
  if (remote.includes("::")) return { why: `${remote} chooses the program that git talks through` };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(remote)) {
    const url = URL.canParse(remote) ? new URL(remote) : undefined;
    // Only of the schemes that it knows does the parser normalise the host.
    const host = url?.hostname.toLowerCase() ?? "";
    if (url === undefined || !schemes.includes(url.protocol) || !name.test(host))
      return { why: `${remote} is no plain address` };
    return host;
  }
  const host = /^(?:[\w.+-]+@)?([^/:@]+):(?!\/\/)/.exec(remote)?.[1] ?? "";
  return name.test(host) ? host.toLowerCase() : { why: `${remote} is a directory, or no plain address` };
}
