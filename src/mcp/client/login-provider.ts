import { randomBytes } from "node:crypto";
import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../../contract/server/server.ts";
import { type ConnectionParts, loginNeeded } from "../connection.ts";
import { isSecure } from "./addresses.ts";
import type { Deadlines } from "./deadlines.ts";
import { raise, Trouble } from "./failures.ts";
import type { LoginMemory } from "./login-memory.ts";

/** Whoever has to be led through a login this often will not get in. */
const mostLogins = 3;

export interface Leg {
  begin(): void;
  state(): string;
  redirect(url: URL): Promise<void>;
  answer(): { readonly code: string; readonly iss: string | undefined };
  verifier: string;
  discovery: OAuthDiscoveryState | undefined;
}

/** What lives from the way out to the way back, and no longer: a server may move to another authorization server. */
export function createLeg(parts: ConnectionParts, deadlines: Deadlines): Leg {
  const { name } = parts.entry;
  const notDone = () => raise(loginNeeded(name, `The login to the server "${name}" was not completed.`));
  let state = "";
  let came: URL | undefined;
  let logins = 0;
  const leg: Leg = {
    verifier: "",
    discovery: undefined,
    begin() {
      Object.assign(leg, { verifier: "", discovery: undefined });
      came = undefined;
    },
    state() {
      state = randomBytes(32).toString("base64url");
      return state;
    },
    async redirect(url) {
      const { authorize } = parts;
      if (authorize === undefined || !isSecure(url)) return notDone();
      logins += 1;
      if (logins > mostLogins) {
        raise(loginNeeded(name, `The server "${name}" is not content with ${mostLogins} logins in a row.`));
      }
      const led = await deadlines.whileAsking(() => authorize(url));
      if (!led.ok) throw new Trouble(led.failure);
      came = led.value;
    },
    answer() {
      const code = came?.searchParams.get("code");
      if (typeof code !== "string" || came?.searchParams.get("state") !== state) return notDone();
      return { code, iss: came.searchParams.get("iss") ?? undefined };
    },
  };
  return leg;
}

export function createProvider(
  parts: ConnectionParts,
  { oauth = {} }: RemoteServer,
  memory: LoginMemory,
  leg: Leg,
): OAuthClientProvider {
  const { clientId, clientSecretEnv, scopes } = oauth;
  const secret = clientSecretEnv === undefined ? undefined : parts.environment[clientSecretEnv];
  // An address is the name of a document about the client, for servers that read such documents.
  const isDocument = clientId?.startsWith("https://") === true;
  const metadata: OAuthClientMetadata = {
    client_name: "Gauntlet",
    redirect_uris: [parts.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    ...(scopes !== undefined && { scope: scopes.join(" ") }),
  };
  return {
    redirectUrl: parts.redirectUrl,
    clientMetadata: metadata,
    ...(isDocument && { clientMetadataUrl: clientId }),
    state: leg.state,
    clientInformation(context) {
      if (context === undefined) return undefined;
      const { issuer } = context;
      if (clientId === undefined || isDocument) return memory.client(issuer);
      if (memory.settingsIssuer(issuer) !== issuer) return memory.client(issuer);
      return { client_id: clientId, issuer, ...(secret !== undefined && { client_secret: secret }) };
    },
    saveClientInformation(information, context) {
      if (context !== undefined) memory.keepClient(context.issuer, information);
    },
    tokens: (context) => memory.tokens(context?.issuer),
    saveTokens(tokens, context) {
      leg.discovery = undefined;
      if (context !== undefined) memory.keepTokens(context.issuer, tokens);
    },
    redirectToAuthorization: leg.redirect,
    saveCodeVerifier(verifier) {
      leg.verifier = verifier;
    },
    codeVerifier: () => leg.verifier,
    saveDiscoveryState(state) {
      leg.discovery = state;
    },
    discoveryState: () => leg.discovery,
    invalidateCredentials(what) {
      const issuer = leg.discovery?.authorizationServerMetadata?.issuer ?? memory.current();
      if (issuer === undefined) return;
      if (what === "all" || what === "client") memory.keepClient(issuer, undefined);
      if (what === "all" || what === "tokens") memory.keepTokens(issuer, undefined);
    },
  };
}
