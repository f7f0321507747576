import type { DoctorCheck } from "../../contract/app/app.ts";
import { below, lines, type Shown, say, type Tone } from "./shown.ts";
import type { View } from "./wrap.ts";

const marks: Readonly<Record<DoctorCheck["state"], readonly [Tone, string]>> = {
  ok: ["good", "✓"],
  absent: ["quiet", "-"],
  warning: ["warning", "!"],
  missing: ["bad", "✗"],
};

/** What this machine offers, a mark in front of each. */
export function renderChecks(checks: readonly DoctorCheck[], { paint, wrap }: View): Shown {
  const width = Math.max(0, ...checks.map((check) => check.name.length));
  return lines(
    checks.flatMap((check) => [
      ...below(
        say`${paint(...marks[check.state])} ${paint("strong", check.name.padEnd(width))}  `,
        check.detail,
        width + 4,
      ).map(wrap),
      ...(check.fix === undefined ? [] : [say`  ${" ".repeat(width)}  ${paint("quiet", "mend it:")} ${check.fix}`]),
    ]),
  );
}
