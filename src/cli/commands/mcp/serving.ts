import { type Command, Option } from "commander";
import type { App } from "../../../contract/app/app.ts";
import type { DoorOptions, Serving, ServingAddress } from "../../../contract/app/door.ts";
import { fail, type Outcome, ok } from "../../../contract/codes.ts";
import type { ServerStatus } from "../../../contract/server/server.ts";
import { collect } from "../../command.ts";
import { type DoorFlags, declarePolicyFlags, doorOptionsOf } from "../../door-options.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printNotice, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { tellNotices, withApp } from "../../with-app.ts";

export interface ServingFlags extends DoorFlags {
  readonly http?: string;
  readonly tokenEnv?: string;
  readonly allowHost: readonly string[];
}

export function declareServingFlags(command: Command): Command {
  return declarePolicyFlags(command.option("--session <id>", "go on in this session (id, its beginning, or latest)"))
    .addOption(
      new Option("--http <[host:]port>", "serve over HTTP, on this machine only unless a host is named; 0 is any port"),
    )
    .option(
      "--token-env <name>",
      "environment variable with the token that clients have to send (Authorization: Bearer …); else one is printed",
    )
    .option("--allow-host <name>", "clients may ask under this host name too; repeatable", collect, []);
}

/** What is particular to one way of serving. */
type Particulars = Pick<Serving, "name" | "instructions" | "serversFile"> & { readonly door?: DoorOptions };

/** Serves until the client is gone or the person has enough. Nothing but the protocol goes to standard output. */
export async function runServing(
  surface: Surface,
  flags: ServingFlags,
  particulars: (app: App, door: DoorOptions) => Outcome<Particulars>,
): Promise<ExitCode> {
  const plain = { json: false };
  const address = addressOf(flags);
  if (!address.ok) return reportFailure(surface, address.failure, plain);
  return withApp(surface, { ...flags, ...plain }, async (app) => {
    const door = await doorOptionsOf(flags, surface, app);
    if (!door.ok) return reportFailure(surface, door.failure, plain);
    const told = await tellNotices(surface, app, door.value, plain);
    if (told !== undefined) return told;
    const special = particulars(app, door.value);
    if (!special.ok) return reportFailure(surface, special.failure, plain);
    return serveUntilStopped(surface, app, { ...address.value, door: door.value, ...special.value });
  });
}

/** Somebody started it by hand, and would wait for something to happen. */
const nobodyYet = "An MCP client is expected on standard input: clients start this command themselves. Ctrl+C ends it.";

async function serveUntilStopped(
  surface: Surface,
  app: App,
  serving: Omit<Serving, "stop" | "onReady">,
): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt((signal) => stop.abort(signal));
  const { paint, wrap } = viewOn(surface.stderr);
  const tell = async (what: string, detail: string) => {
    const [first = "", ...others] = detail.split("\n");
    await printNotice(surface, say`${paint("warning", "notice:")} ${what} ${first}`);
    for (const line of others) await printNotice(surface, say`  ${line}`);
  };
  const tellTrouble = ({ name, state, detail = "it ended" }: ServerStatus) =>
    tell(state === "ready" ? `The MCP server ${name}:` : `The MCP server ${name} cannot be used now:`, detail);
  try {
    const served = await surface.serve(app, {
      ...serving,
      stop: stop.signal,
      // Whoever does not listen there any more misses nothing else.
      onTrouble: (status) => void tellTrouble(status).catch(() => {}),
      onFailure: (what) => void tell("A request could not be answered, which is a bug:", what).catch(() => {}),
      async onReady({ session, url, token, notices = [] }) {
        for (const notice of notices) await printNotice(surface, say`${paint("warning", "notice:")} ${notice}`);
        await printNotice(surface, paint("quiet", `session ${session}`));
        if (url === undefined && surface.question !== undefined) await printNotice(surface, paint("quiet", nobodyYet));
        if (url !== undefined) await printNotice(surface, say`listening on ${url}`);
        if (serving.address !== undefined && !isThisMachine(serving.address.host)) {
          await printNotice(surface, wrap(say`${paint("warning", "notice:")} ${reachable(serving.address.host)}`));
        }
        if (token !== undefined) {
          await printNotice(surface, say`token ${token}`);
          await printNotice(surface, paint("quiet", `every request has to carry it: Authorization: Bearer ${token}`));
        }
      },
    });
    return served.ok ? exitCodes.done : await reportFailure(surface, served.failure, { json: false });
  } finally {
    stopListening();
  }
}

function isThisMachine(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host);
}

function reachable(host: string): string {
  const isAll = host === "0.0.0.0" || /^\[[:0]+\]$/.test(host);
  const where = isAll ? "every address of this machine" : host;
  return `other machines can reach it at ${where}. Whoever has the token can call its tools, and nothing on the way is encrypted: for clients on this machine leave the host out.`;
}

/** Loopback unless the person says otherwise. */
function addressOf({ http, tokenEnv, allowHost }: ServingFlags): Outcome<{ readonly address?: ServingAddress }> {
  if (http === undefined) {
    return tokenEnv === undefined && allowHost.length === 0
      ? ok({})
      : fail("bad_request", "--token-env and --allow-host are for --http.", { recovery: "Add --http PORT." });
  }
  const parts = /^(?:(?<host>\[[\da-f:]+\]|[\w.-]+):)?(?<port>\d{1,5})$/i.exec(http)?.groups;
  const port = Number(parts?.port);
  if (parts === undefined || port > 65_535) {
    return fail("bad_request", `--http ${http}: that is no port.`, {
      recovery: "Write --http 8080 or --http HOST:8080.",
    });
  }
  const { host = "127.0.0.1" } = parts;
  return ok({ address: { host, port, names: allowHost, ...(tokenEnv === undefined ? {} : { tokenEnv }) } });
}
