import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export interface LocalServer {
  readonly port: number;
  /** `METHOD path`, in order. */
  readonly requests: readonly string[];
}

/** A web server on loopback that knows these paths, as `localhost`. */
export async function serve(
  pages: (port: number) => Readonly<Record<string, string | Uint8Array>>,
  asked: (url: string) => void = () => {},
): Promise<LocalServer> {
  const requests: string[] = [];
  let known: Readonly<Record<string, string | Uint8Array>> = {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    asked(request.url ?? "");
    const page = known[request.url ?? ""];
    response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  known = pages(port);
  return { port, requests };
}

/** An npm registry with one package, whose install script is this program. */
export async function serveRegistry(name: string, installScript: string): Promise<LocalServer> {
  const manifest = { name, version: "1.0.0", main: "index.js", scripts: { postinstall: "node install.js" } };
  const files = { "index.js": "module.exports = 'tiny';\n", "install.js": installScript };
  return servePackage({ ...manifest, hasInstallScript: true }, files);
}

/** An npm registry with one package. `asked` is called before each answer. */
export async function servePackage(
  manifest: { readonly name: string; readonly version: string; readonly [field: string]: unknown },
  files: Readonly<Record<string, string>>,
  asked?: (url: string) => void,
): Promise<LocalServer> {
  const { name, version } = manifest;
  const archive = pack({ ...files, "package.json": JSON.stringify(manifest) });
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  return serve((port) => {
    const tarball = `/${name}/-/${path.basename(name)}-${version}.tgz`;
    const dist = { tarball: `http://localhost:${port}${tarball}`, integrity };
    const document = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
    return { [`/${name.replace("/", "%2f")}`]: JSON.stringify(document), [tarball]: archive };
  }, asked);
}

function pack(files: Readonly<Record<string, string>>): Uint8Array {
  const directory = mkdtempSync(path.join(tmpdir(), "gauntlet-registry-"));
  try {
    mkdirSync(path.join(directory, "package"));
    for (const [file, content] of Object.entries(files)) writeFileSync(path.join(directory, "package", file), content);
    execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: directory });
    return readFileSync(path.join(directory, "package.tgz"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
