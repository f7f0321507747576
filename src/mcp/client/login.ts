import type { FetchLike } from "@modelcontextprotocol/client";
import { fail } from "../../contract/codes.ts";
import type { RemoteServer } from "../../contract/server/server.ts";
import { type ConnectionParts, loginNeeded } from "../connection.ts";
import { isLoopback, isSecure } from "./addresses.ts";
import type { Deadlines } from "./deadlines.ts";
import { type Failed, networkFailure, raise, serverWords, Trouble } from "./failures.ts";
import { createLoginMemory } from "./login-memory.ts";
import { createLeg, createProvider } from "./login-provider.ts";
import type { Sdk } from "./sdk.ts";

export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  /** A refreshed token would not help. */
  readonly anew: boolean;
}

export interface Login {
  accessToken(): string | undefined;
  grantedScope(): string | undefined;
  /** Gets a token that answers the challenge, from the person if need be. Throws `Trouble` when it cannot. */
  obtain(challenge: Challenge): Promise<void>;
}

export function createLogin(sdk: Sdk, parts: ConnectionParts, setting: RemoteServer, deadlines: Deadlines): Login {
  const { name } = parts.entry;
  const serverUrl = new URL(setting.url);
  const memory = createLoginMemory(parts.credentials, name);
  const fetchFn = confined(parts.fetch, serverUrl);
  const leg = createLeg(parts, deadlines);
  const provider = createProvider(parts, setting, memory, leg);

  const refresh = async (resourceMetadataUrl: URL | undefined): Promise<boolean> => {
    if (memory.tokens()?.refresh_token === undefined) return false;
    const found = await sdk.discoverOAuthServerInfo(serverUrl, {
      fetchFn,
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    });
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
        ...(authorizationServerMetadata !== undefined && { metadata: authorizationServerMetadata }),
        // As its server spells it: some compare it letter by letter.
        ...(resource !== undefined && { resource: resourceMetadata?.resource ?? resource }),
      });
      memory.keepTokens(issuer, { ...fresh, issuer });
      return true;
    } catch (error) {
      if (!(error instanceof sdk.OAuthError) || error.code === sdk.OAuthErrorCode.ServerError) throw error;
      memory.keepTokens(issuer, undefined);
      return false;
    }
  };

  /** Whether the server itself says anything of a login. Nobody else is asked. */
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

  const obtain = async ({ resourceMetadataUrl, scope, anew }: Challenge) => {
    if (!isSecure(serverUrl)) raise(unprotected(name));
    const canRefresh = !anew && memory.tokens()?.refresh_token !== undefined;
    if (parts.authorize === undefined && !canRefresh) {
      const isOffered = resourceMetadataUrl !== undefined || setting.oauth !== undefined || (await offersLogin());
      raise(isOffered ? loginNeeded(name, `The server "${name}" wants a login.`) : tokenWanted(name));
    }
    leg.begin();
    const wanted = sdk.computeScopeUnion(setting.oauth?.scopes?.join(" "), scope);
    const options = {
      serverUrl,
      fetchFn,
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
      ...(wanted !== undefined && { scope: wanted }),
    };
    let isLed = false;
    try {
      if (!anew && (await refresh(resourceMetadataUrl))) return;
      // The SDK would refresh as well, and tell the terminal about whatever goes wrong with it.
      await sdk.auth(provider, { ...options, forceReauthorization: true });
      isLed = true;
      const { code, iss } = leg.answer();
      await sdk.auth(provider, { ...options, authorizationCode: code, ...(iss !== undefined && { iss }) });
    } catch (error) {
      if (error instanceof Trouble || networkFailure(error, name) !== undefined) throw error;
      const { resourceMetadata, authorizationServerMetadata } = leg.discovery ?? {};
      // Servers of the first revisions have a login without saying so: it had to be tried.
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

function unprotected(server: string): Failed {
  return fail("server_unavailable", `The server "${server}" wants a login, which does not go over plain http.`, {
    recovery: "Put its https address into the settings.",
    happened: "nothing",
  });
}

function tokenWanted(server: string): Failed {
  return fail("server_unavailable", `The server "${server}" wants a token, and offers no login that would give one.`, {
    recovery:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
      "Have the token in a variable of your environment and name that in a header of its entry: add it with --header 'Authorization: Bearer ${TOKEN}'.",
    happened: "nothing",
  });
}

/** The words of an authorization server are left out: in a mix-up they are an attacker's. */
function refused(sdk: Sdk, server: string, error: unknown): Failed {
  const named = `The login to the server "${server}"`;
  const isMixUp =
    error instanceof sdk.IssuerMismatchError ||
    error instanceof sdk.AuthorizationServerMismatchError ||
    error instanceof sdk.InsecureTokenEndpointError;
  if (isMixUp) {
    return fail("server_unavailable", `${named} was stopped: its authorization server cannot be trusted.`, {
      recovery: "Ask whoever runs the server; its login is set up wrongly or somebody is in between.",
      happened: "nothing",
    });
  }
  const code = error instanceof sdk.OAuthError ? ` (${serverWords(String(error.code), 60)})` : "";
  return loginNeeded(server, `${named} failed${code}.`);
}

/** A server names the addresses that a login goes through. None may lead into this machine or be unencrypted. */
function confined(send: ConnectionParts["fetch"], serverUrl: URL): FetchLike {
  return async (address, init) => {
    const url = new URL(address);
    if (isLoopback(url) ? !isLoopback(serverUrl) : url.protocol !== "https:") {
      throw new Error("A login only goes through https.");
    }
    return send(url, { ...init, redirect: "manual" });
  };
}
