import type { Effect } from "../contract/effect.ts";

/** Left to itself it would go on until it is stopped. What takes only so much of it settles that. */
export function neverEnds(what: Endless): Effect {
  return effects[what];
}

export type Endless = "yes" | "/dev/zero" | "/dev/full" | "/dev/random" | "/dev/urandom";

const effects: Readonly<Record<Endless, Effect>> = {
  yes: { op: "unknown", why: "yes never ends" },
  "/dev/zero": { op: "unknown", why: "/dev/zero never ends" },
  "/dev/full": { op: "unknown", why: "/dev/full never ends" },
  "/dev/random": { op: "unknown", why: "/dev/random never ends" },
  "/dev/urandom": { op: "unknown", why: "/dev/urandom never ends" },
};

export function isEndless(what: string): what is Endless {
  return Object.hasOwn(effects, what);
}
