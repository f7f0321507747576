import type { Attack } from "./attack.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { crossProduct } from "./cross-product.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { others } from "./others.ts";
import { pathTechniques } from "./path-techniques.ts";
import { sandboxMustHaves } from "./sandbox-must-haves.ts";
import { secondRound } from "./second-round.ts";
import { shellTechniques } from "./shell-techniques.ts";
import { trust } from "./trust.ts";

export const attacks: readonly Attack[] = [
  ...claudeCode,
  ...codex,
  ...gemini,
  ...cursor,
  ...copilot,
  ...others,
  ...crossProduct,
  ...shellTechniques,
  ...pathTechniques,
  ...sandboxMustHaves,
  ...secondRound,
  ...trust,
];
