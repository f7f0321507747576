import { onceWords } from "../../cli/render/prompt.ts";
import { promptTool } from "../../contract/app/borrowed-commands.ts";
import type {
  ListedChange,
  PermissionAnswer,
  PermissionPrompt,
  PermissionRequest,
  Remember,
} from "../../contract/verdict.ts";

interface Choice {
  readonly key: string;
  readonly also?: string;
  readonly label: string;
  readonly answer?: Omit<PermissionAnswer, "request">;
  readonly opens?: "reason" | "selection" | "diff";
}

const by = "person at the terminal";

function shortPath(path: string): string {
  const parts = path.split("/");
  return parts.length <= 3 ? path : `…/${parts.slice(-2).join("/")}`;
}

/** It would hold for more than this call: never by one key alone. */
export function widens(choice: Choice | undefined): boolean {
  return choice?.answer?.remember === "session" || choice?.answer?.remember === "always";
}

export function missingChoices({ prompt }: PermissionRequest): string {
  if (prompt.changes !== undefined) return "";
  if ((prompt.suggestedRules ?? []).length === 0) return "No rule is offered for this: it is answered here.";
  return prompt.savesTo === undefined ? "Not for always: a rule like this is not saved." : "";
}

export function choicesFor(request: PermissionRequest): readonly Choice[] {
  const { tool, prompt } = request;
  const rules = prompt.suggestedRules ?? [];
  const covers = rules.join(", ");
  if (prompt.changes !== undefined) return changeChoices(prompt, prompt.changes);
  return [
    { key: "n", label: "No", answer: { answer: "deny", by } },
    ...(prompt.opens
      ? []
      : [
          { key: "y", label: `Yes, ${onceWords(request)}`, answer: { answer: "allow", remember: "once", by } } as const,
        ]),
    ...(rules.length === 0
      ? []
      : [
          {
            key: "s",
            ...(prompt.opens ? { also: "y" } : {}),
            label: `Yes, and for this session: ${covers}`,
            answer: { answer: "allow", remember: "session", by },
          } as const,
        ]),
    ...(rules.length === 0 || prompt.savesTo === undefined
      ? []
      : [
          {
            key: "a",
            label: `Yes, always: ${covers} (in ${shortPath(prompt.savesTo)})`,
            answer: { answer: "allow", remember: "always", by },
          } as const,
        ]),
    // Only people ask for a prompt, never a model.
    ...(tool === promptTool ? [] : [{ key: "d", label: "No, and tell the model why", opens: "reason" } as const]),
  ];
}

function changeChoices(
  { suggestedRules: rules = [], savesTo, diff }: PermissionPrompt,
  { length }: readonly ListedChange[],
): readonly Choice[] {
  const all = length === 1 ? "Keep it" : "Keep all";
  const covers = rules.join(", ");
  const keep = (remember: Remember) => ({ answer: { answer: "allow", remember, by } }) as const;
  return [
    { key: "n", label: length === 1 ? "No, do not keep it" : "No, keep nothing", answer: { answer: "deny", by } },
    { key: "a", also: "y", label: all, ...keep("once") },
    ...(length === 1 ? [] : [{ key: "s", label: "Select what to keep", opens: "selection" } as const]),
    ...(diff === undefined ? [] : [{ key: "d", label: "Show the whole diff", opens: "diff" } as const]),
    ...(rules.length === 0 ? [] : [{ key: "r", label: `${all}, and for this session: ${covers}`, ...keep("session") }]),
    ...(rules.length === 0 || savesTo === undefined
      ? []
      : [{ key: "w", label: `${all}, and always: ${covers} (in ${shortPath(savesTo)})`, ...keep("always") }]),
    { key: "t", label: "No, and tell the model why", opens: "reason" },
  ];
}
