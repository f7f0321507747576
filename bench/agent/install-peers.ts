import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { type Contestant, codex, codexSandboxed, pi } from "./contestants.ts";

/** Those that can be asked for, at the version that was measured last. */
const peers: Readonly<Record<string, PeerPackage>> = {
  pi: { name: "@mariozechner/pi-coding-agent", version: "0.73.1", make: pi },
  codex: { name: "@openai/codex", version: "0.166.0", make: codex },
  "codex-sandboxed": {
    name: "@openai/codex",
    version: "0.166.0",
    make: codexSandboxed,
    probe: (bin) => [bin("codex"), "sandbox", "--", "true"],
  },
};

interface PeerPackage {
  readonly name: string;
  readonly version: string;
  readonly make: (bin: Bin) => Contestant;
  /** A command that fails where this peer cannot work on this machine. */
  readonly probe?: (bin: Bin) => readonly [program: string, ...args: string[]];
}

type Bin = (name: string) => string;

const tokenizer = { name: "gpt-tokenizer", version: "4.0.0" };

/** Outside every repository: nothing of theirs is kept with ours. */
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "gauntlet-bench");

export interface Peer {
  readonly contestant: Contestant;
  readonly label: string;
}

export function installPeers(names: readonly string[]): readonly Peer[] {
  return names.flatMap((name) => {
    const peer = peers[name];
    if (peer === undefined) throw new Error(`No peer is called ${name}; there are ${Object.keys(peers).join(", ")}.`);
    const place = install(peer);
    const bin: Bin = (program) => path.join(place, "node_modules/.bin", program);
    const [probe, ...args] = peer.probe?.(bin) ?? [];
    const probed = probe === undefined ? undefined : spawnSync(probe, args, { encoding: "utf8", timeout: 30_000 });
    if (probed !== undefined && probed.status !== 0) {
      process.stderr.write(`bench: ${name} is left out, it does not start here: ${probed.stderr.trim()}\n`);
      return [];
    }
    return [{ contestant: peer.make(bin), label: `${name} ${peer.version}` }];
  });
}

/** Counts tokens as the o200k vocabulary does. */
export function installTokenizer(): (text: string) => number {
  const load = createRequire(path.join(install(tokenizer), "package.json"));
  const { countTokens } = load("gpt-tokenizer/encoding/o200k_base");
  return countTokens;
}

function install({ name, version }: { readonly name: string; readonly version: string }): string {
  const place = path.join(cache, name.replaceAll("/", "-"), version);
  const installed = path.join(place, "node_modules", name, "package.json");
  if (existsSync(installed) && JSON.parse(readFileSync(installed, "utf8")).version === version) return place;
  process.stderr.write(`bench: installing ${name}@${version} into ${place}\n`);
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, "package.json"), '{ "private": true }\n');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--save-exact", `${name}@${version}`], {
    cwd: place,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return place;
}
