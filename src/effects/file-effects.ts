import { basename, dirname } from "node:path/posix";
import { type Outcome, ok } from "../contract/codes.ts";
import type { Effect, FileEffect, PathRef } from "../contract/effect.ts";
import type { EffectView } from "../contract/ports.ts";

type Resolver = Pick<EffectView, "resolve">;
type EffectScope = FileEffect["scope"];

/** A path that cannot be followed gives an `unknown` effect with the reason: nobody may act on it unseen. */
export const readEffect = followed("read");
export const listEffect = followed("list");
export const writeEffect = followed("write");

function followed(op: FileEffect["op"]) {
  return (view: Resolver, written: string, scope: EffectScope, from?: string): Effect =>
    fileEffect(op, view.resolve(written, from), scope);
}

/** Names the entry itself: removing a link leaves what it points to. */
export function deleteEffect(view: Resolver, written: string, scope: EffectScope, from?: string): Effect {
  return fileEffect("delete", resolveEntry(view, written, from), scope);
}

export function resolveEntry(view: Resolver, written: string, from?: string): Outcome<PathRef> {
  const followed = view.resolve(written, from);
  const name = basename(written);
  if (name === "" || name === "." || name === ".." || name.startsWith("~") || written.endsWith("/")) return followed;
  const parent = view.resolve(dirname(written), from);
  if (!parent.ok) return parent;
  const resolved = parent.value.resolved === "/" ? `/${name}` : `${parent.value.resolved}/${name}`;
  if (followed.ok && followed.value.resolved === resolved) return followed;
  // A link, perhaps one that leads nowhere: itself it is an ordinary entry of its directory.
  return parent.value.kind === "directory" ? ok({ written, resolved, kind: "file" }) : followed;
}

function fileEffect(op: FileEffect["op"], path: Outcome<PathRef>, scope: EffectScope): Effect {
  return path.ok ? { op, path: path.value, scope } : { op: "unknown", why: path.failure.message };
}
