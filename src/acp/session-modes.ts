import type { SessionModeState } from "@agentclientprotocol/sdk";
import { type Mode, modes } from "../contract/verdict.ts";

const described: Readonly<Record<Mode, readonly [name: string, description: string]>> = {
  default: ["Ask", "Reads and searches by itself, asks before it changes or runs anything"],
  acceptEdits: ["Accept edits", "Edits files in the workspace without asking, asks before it runs anything"],
  plan: ["Plan", "Only reads"],
  dontAsk: ["Never ask", "Whatever would have to be asked for is refused"],
  bypass: ["Bypass", "Asks only for what rules and protected files demand"],
  auto: ["Auto", "Changes and runs what the sandbox holds, asks for the rest"],
};

export function modesAt(current: Mode): SessionModeState {
  return {
    currentModeId: current,
    availableModes: modes.map((id) => ({ id, name: described[id][0], description: described[id][1] })),
  };
}

export function modeNamed(id: string): Mode | undefined {
  return modes.find((mode) => mode === id);
}
