/**
 * Features that a build can leave out. Name one here, guard its dynamic import in the source with
 *
 *   if (FEATURES.name) await import("./gated-module.ts");
 *
 * and `GAUNTLET_WITHOUT=name npm run build` gives a bundle that does not contain the module. Sources that
 * run unbundled see no FEATURES; declare the global next to the first guard.
 */
export const features = [];

/** `without` names what to leave out, with commas between. */
export function featuresWithout(without) {
  const left = (without ?? "").split(",").filter((name) => name !== "");
  const unknown = left.filter((name) => !features.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no feature ${unknown.join(", ")}; scripts/features.mjs lists them.`);
  return Object.fromEntries(features.map((name) => [name, !left.includes(name)]));
}
