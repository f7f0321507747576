import { randomBytes } from "node:crypto";
import type { FetchLike, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { fail } from "../../contract/codes.ts";
import type { RemoteServer } from "../../contract/server/server.ts";
import { type ConnectionParts, loginNeeded } from "./connection.ts";
import type { Deadlines } from "./deadlines.ts";
import { type FailedOutcome, httpFailure, networkFailure, raise, serverWords, Trouble } from "./failures.ts";
import { createLoginMemory, type LoginMemory } from "./login-memory.ts";
import type { Sdk } from "./sdk.ts";

interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  readonly anew: boolean;
}

type Login = ReturnType<typeof createLogin>;

export function createLogin(sdk: Sdk, parts: ConnectionParts, setting: RemoteServer, deadlines: Deadlines) {
  const { name } = parts.entry;
  const serverUrl = new URL(setting.url);
  const memory = createLoginMemory(parts.credentials, name);
  const fetchFn = confined(parts.fetch, serverUrl);
  const round = createRound(parts, deadlines);
  const provider = createProvider(parts, setting, memory, round);

  const refresh = async (resourceMetadataUrl: URL | undefined): Promise<boolean> => {
    if (memory.tokens()?.refresh_token === undefined) return false;
    const found = await sdk.discoverOAuthServerInfo(serverUrl, { fetchFn, resourceMetadataUrl });
    const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = found;
    const issuer = authorizationServerMetadata?.issuer ?? authorizationServerUrl;
    const refreshToken = memory.tokens(issuer)?.refresh_token;
    const clientInformation = await provider.clientInformation({ issuer });
    if (refreshToken === undefined || clientInformation === undefined) return false;
    const resource = await sdk.selectResourceURL(serverUrl, provider, resourceMetadata);
    try {
      const fresh = await sdk.refreshAuthorization(authorizationServerUrl, {
        clientInformation,
        refreshToken,
        fetchFn,
        metadata: authorizationServerMetadata,
        // Spelled as the server does: some compare the exact text.
        resource: resource && (resourceMetadata?.resource ?? resource),
      });
      memory.keepTokens(issuer, { ...fresh, issuer });
      return true;
    } catch (error) {
      if (!(error instanceof sdk.OAuthError) || error.code === sdk.OAuthErrorCode.ServerError) throw error;
      memory.keepTokens(issuer, undefined);
      return false;
    }
  };

  const offersLogin = async (): Promise<boolean> => {
    try {
      await sdk.discoverOAuthProtectedResourceMetadata(serverUrl, {}, fetchFn);
      return true;
    } catch (error) {
      if (networkFailure(error, name) !== undefined) return true;
    }
    try {
      return (await sdk.discoverAuthorizationServerMetadata(new URL("/", serverUrl), { fetchFn })) !== undefined;
    } catch {
      return true;
    }
  };

  const obtain = async ({ resourceMetadataUrl, scope, anew }: Challenge): Promise<void> => {
    if (!isSecure(serverUrl)) raise(unprotected(name));
    const canRefresh = !anew && memory.tokens()?.refresh_token !== undefined;
    if (parts.authorize === undefined && !canRefresh) {
      const isOffered = resourceMetadataUrl !== undefined || setting.oauth !== undefined || (await offersLogin());
      raise(isOffered ? loginNeeded(name, `The server "${name}" requires a login.`) : tokenWanted(name));
    }
    round.begin();
    const wanted = sdk.computeScopeUnion(setting.oauth?.scopes?.join(" "), scope);
    const options = { serverUrl, fetchFn, resourceMetadataUrl, scope: wanted };
    let isLed = false;
    try {
      if (!anew && (await refresh(resourceMetadataUrl))) return;
      // The SDK would print to the terminal when a refresh fails.
      await sdk.auth(provider, { ...options, forceReauthorization: true });
      isLed = true;
      const { code, iss } = round.answer();
      await sdk.auth(provider, { ...options, authorizationCode: code, ...(iss !== undefined && { iss }) });
    } catch (error) {
      if (error instanceof Trouble || networkFailure(error, name) !== undefined) throw error;
      const { resourceMetadata, authorizationServerMetadata } = round.discovery ?? {};
      // Servers of the first protocol versions have a login without declaring it.
      const isOffered = isLed || resourceMetadata !== undefined || authorizationServerMetadata !== undefined;
      raise(isOffered ? refused(sdk, name, error) : tokenWanted(name));
    }
  };

  return {
    accessToken: () => (isSecure(serverUrl) ? memory.tokens()?.access_token : undefined),
    grantedScope: () => memory.tokens()?.scope,
    obtain,
  };
}

function unprotected(server: string): FailedOutcome {
  return fail("server_unavailable", `The server "${server}" requires a login, which is not possible over plain http.`, {
    recovery: "Set its https URL in the settings.",
    happened: "nothing",
  });
}

function tokenWanted(server: string): FailedOutcome {
  return fail("server_unavailable", `The server "${server}" requires a token and offers no login.`, {
    recovery:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the syntax for variables in server entries.
      "Put the token in an environment variable and add a header to its entry: --header 'Authorization: Bearer ${TOKEN}'.",
    happened: "nothing",
  });
}

/** Error texts of the authorization server are left out: in a mix-up attack they come from the attacker. */
function refused(sdk: Sdk, server: string, error: unknown): FailedOutcome {
  const named = `The login to the server "${server}"`;
  const isMixUp =
    error instanceof sdk.IssuerMismatchError ||
    error instanceof sdk.AuthorizationServerMismatchError ||
    error instanceof sdk.InsecureTokenEndpointError;
  if (isMixUp) {
    return fail("server_unavailable", `${named} was stopped: its authorization server cannot be trusted.`, {
      recovery: "Ask the server's operator. Its login is misconfigured or intercepted.",
      happened: "nothing",
    });
  }
  const code = error instanceof sdk.OAuthError ? ` (${serverWords(String(error.code), 60)})` : "";
  return loginNeeded(server, `${named} failed${code}.`);
}

function confined(send: ConnectionParts["fetch"], serverUrl: URL): FetchLike {
  return async (address, init) => {
    const url = new URL(address);
    if (isLoopback(url) ? !isLoopback(serverUrl) : url.protocol !== "https:") {
      throw new Error("A login requires https.");
    }
    return send(url, { ...init, redirect: "manual" });
  };
}

const mostLogins = 3;

type LoginRound = ReturnType<typeof createRound>;

/** The state between the redirect of a login and the exchange of its code. */
function createRound(parts: ConnectionParts, deadlines: Deadlines) {
  const { name } = parts.entry;
  const notDone = () => raise(loginNeeded(name, `The login to the server "${name}" was not completed.`));
  let state = "";
  let came: URL | undefined;
  let logins = 0;
  return {
    verifier: "",
    discovery: undefined as OAuthDiscoveryState | undefined,
    begin(): void {
      this.verifier = "";
      this.discovery = undefined;
      came = undefined;
    },
    state(): string {
      state = randomBytes(32).toString("base64url");
      return state;
    },
    async redirect(url: URL): Promise<void> {
      const { authorize } = parts;
      if (authorize === undefined || !isSecure(url)) return notDone();
      logins += 1;
      if (logins > mostLogins) {
        raise(loginNeeded(name, `The server "${name}" rejected ${mostLogins} logins in a row.`));
      }
      const led = await deadlines.whileAsking(() => authorize(url));
      if (!led.ok) throw new Trouble(led.failure);
      came = led.value;
    },
    answer(): { readonly code: string; readonly iss: string | undefined } {
      const code = came?.searchParams.get("code");
      if (typeof code !== "string" || came?.searchParams.get("state") !== state) return notDone();
      return { code, iss: came.searchParams.get("iss") ?? undefined };
    },
  };
}

function createProvider(
  parts: ConnectionParts,
  { oauth = {} }: RemoteServer,
  memory: LoginMemory,
  round: LoginRound,
): OAuthClientProvider {
  const { clientId, clientSecretEnv, scopes } = oauth;
  const secret = clientSecretEnv === undefined ? undefined : parts.environment[clientSecretEnv];
  // A URL as client id names a client metadata document.
  const isDocument = clientId?.startsWith("https://") === true;
  return {
    redirectUrl: parts.redirectUrl,
    clientMetadata: {
      client_name: "Gauntlet",
      redirect_uris: [parts.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: scopes?.join(" "),
    },
    clientMetadataUrl: isDocument ? clientId : undefined,
    state: round.state,
    clientInformation(context) {
      if (context === undefined) return undefined;
      const { issuer } = context;
      const isOwn = clientId !== undefined && !isDocument && memory.settingsIssuer(issuer) === issuer;
      return isOwn ? { client_id: clientId, issuer, client_secret: secret } : memory.client(issuer);
    },
    saveClientInformation(information, context) {
      if (context !== undefined) memory.keepClient(context.issuer, information);
    },
    tokens: (context) => memory.tokens(context?.issuer),
    saveTokens(tokens, context) {
      round.discovery = undefined;
      if (context !== undefined) memory.keepTokens(context.issuer, tokens);
    },
    redirectToAuthorization: round.redirect,
    saveCodeVerifier(verifier) {
      round.verifier = verifier;
    },
    codeVerifier: () => round.verifier,
    saveDiscoveryState(state) {
      round.discovery = state;
    },
    discoveryState: () => round.discovery,
    invalidateCredentials(what) {
      const issuer = round.discovery?.authorizationServerMetadata?.issuer ?? memory.current();
      if (issuer === undefined) return;
      if (what === "all" || what === "client") memory.keepClient(issuer, undefined);
      if (what === "all" || what === "tokens") memory.keepTokens(issuer, undefined);
    },
  };
}

const mostRounds = 4;

export function authorizedFetch(sdk: Sdk, server: string, send: FetchLike, login: Login): FetchLike {
  let requested: string | undefined;
  let underWay: Promise<void> | undefined;

  const obtain = async (response: Response, used: string | undefined, round: number) => {
    if (underWay !== undefined) return underWay;
    if (login.accessToken() !== used) return;
    const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
    const isStepUp = response.status === 403;
    // A request for more scopes must not lose those granted before.
    const wanted = isStepUp ? sdk.computeScopeUnion(requested, login.grantedScope(), scope) : scope;
    requested = sdk.computeScopeUnion(requested, wanted);
    const anew = round > 0 || (isStepUp && sdk.isStrictScopeSuperset(wanted, login.grantedScope()));
    underWay = login.obtain({ resourceMetadataUrl, scope: wanted, anew }).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  return async (url, init) => {
    for (let round = 0; ; round += 1) {
      const token = login.accessToken();
      const headers = new Headers(init?.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      const response = await send(url, { ...init, headers });
      if (!wantsToken(sdk, response)) return response;
      await response.body?.cancel();
      if (round >= mostRounds) raise(httpFailure(response.status, server));
      await obtain(response, token, round);
    }
  };
}

function wantsToken(sdk: Sdk, response: Response): boolean {
  if (response.status === 401) return true;
  return response.status === 403 && sdk.extractWWWAuthenticateParams(response).error === "insufficient_scope";
}

/** Whether a secret may be sent there: encrypted, or on this machine. */
function isSecure(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
