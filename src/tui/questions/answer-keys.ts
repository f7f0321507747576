import { onceWords } from "../../cli/render/prompt.ts";
import { promptTool } from "../../contract/app/borrowed-commands.ts";
import type {
  ListedChange,
  PermissionAnswer,
  PermissionPrompt,
  PermissionRequest,
  Remember,
} from "../../contract/verdict.ts";

export interface AnswerChoice {
  readonly key: string;
  readonly also?: string;
  readonly label: string;
  readonly answer?: Omit<PermissionAnswer, "request">;
  readonly opens?: "reason" | "selection" | "diff";
}

export const by = "person at the terminal";
const deny = { answer: "deny", by } as const;
const allow = (remember: Remember) => ({ answer: "allow", remember, by }) as const;

function shortPath(path: string): string {
  const parts = path.split("/");
  return parts.length <= 3 ? path : `…/${parts.slice(-2).join("/")}`;
}

/** It would hold for more than this call, so a single key never chooses it. */
export function widens(choice: AnswerChoice | undefined): boolean {
  return choice?.answer?.remember === "session" || choice?.answer?.remember === "always";
}

export function missingChoices({ prompt }: PermissionRequest): string {
  if (prompt.changes !== undefined) return "";
  if ((prompt.suggestedRules ?? []).length === 0) return "No rule can cover this; answer it here.";
  return prompt.savesTo === undefined ? "This rule cannot be saved for all sessions." : "";
}

export function choicesFor(request: PermissionRequest): readonly AnswerChoice[] {
  const { tool, prompt } = request;
  if (prompt.changes !== undefined) return changeChoices(prompt, prompt.changes);
  const { suggestedRules: rules = [], savesTo, opens } = prompt;
  const covers = rules.join(", ");
  const choices: readonly (AnswerChoice | false)[] = [
    { key: "n", label: "No", answer: deny },
    !opens && { key: "y", label: `Yes, ${onceWords(request)}`, answer: allow("once") },
    rules.length > 0 && {
      key: "s",
      also: opens ? "y" : undefined,
      label: `Yes, and for this session: ${covers}`,
      answer: allow("session"),
    },
    rules.length > 0 &&
      savesTo !== undefined && {
        key: "a",
        label: `Yes, always: ${covers} (in ${shortPath(savesTo)})`,
        answer: allow("always"),
      },
    // A prompt is requested by the user, so there is no model to tell.
    tool !== promptTool && { key: "d", label: "No, and give the model a reason", opens: "reason" },
  ];
  return choices.filter((choice) => choice !== false);
}

function changeChoices(
  { suggestedRules: rules = [], savesTo, diff }: PermissionPrompt,
  { length }: readonly ListedChange[],
): readonly AnswerChoice[] {
  const all = length === 1 ? "Keep it" : "Keep all";
  const covers = rules.join(", ");
  const choices: readonly (AnswerChoice | false)[] = [
    { key: "n", label: length === 1 ? "No, do not keep it" : "No, keep nothing", answer: deny },
    { key: "a", also: "y", label: all, answer: allow("once") },
    length > 1 && { key: "s", label: "Select what to keep", opens: "selection" },
    diff !== undefined && { key: "d", label: "Show the whole diff", opens: "diff" },
    rules.length > 0 && { key: "r", label: `${all}, and for this session: ${covers}`, answer: allow("session") },
    rules.length > 0 &&
      savesTo !== undefined && {
        key: "w",
        label: `${all}, and always: ${covers} (in ${shortPath(savesTo)})`,
        answer: allow("always"),
      },
    { key: "t", label: "No, and give the model a reason", opens: "reason" },
  ];
  return choices.filter((choice) => choice !== false);
}
