import type { FetchLike } from "@modelcontextprotocol/client";
import { httpFailure, raise } from "./failures.ts";
import type { Login } from "./login.ts";
import type { Sdk } from "./sdk.ts";

/** So often one request is sent again with another token. */
const mostRounds = 4;

/** Sends the server's token with every request, and gets another one when the server wants it. */
export function authorizedFetch(sdk: Sdk, server: string, send: FetchLike, login: Login): FetchLike {
  let requested: string | undefined;
  let underWay: Promise<void> | undefined;

  const obtain = async (response: Response, used: string | undefined, round: number) => {
    if (underWay !== undefined) return underWay;
    if (login.accessToken() !== used) return;
    const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
    const isStepUp = response.status === 403;
    // What was granted before must not be lost by asking for more.
    const wanted = isStepUp ? sdk.computeScopeUnion(requested, login.grantedScope(), scope) : scope;
    requested = sdk.computeScopeUnion(requested, wanted);
    underWay = login
      .obtain({
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
        ...(wanted !== undefined && { scope: wanted }),
        anew: round > 0 || (isStepUp && sdk.isStrictScopeSuperset(wanted, login.grantedScope())),
      })
      .finally(() => {
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
