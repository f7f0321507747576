import type { Settings } from "../contract/settings.ts";

/** What holds when no layer says otherwise. */
export const defaultSettings = {
  mode: "default",
  sandbox: { backend: "auto", toolchains: [], passEnvironment: [] },
  transactions: { use: "auto", deleteLimit: 20, tryInPlan: false },
  network: { privateHosts: [] },
  limits: {
    turnChars: 200_000,
    commandTimeoutMs: 600_000,
    foregroundMs: 120_000,
    approvalMs: 900_000,
    storeBytes: 2 * 1024 ** 3,
  },
  context: { compactAt: 0.8, instructionBytes: 32_768 },
  tools: { deferAbove: 60, deferShare: 0.1 },
  log: { sync: "normal" },
} as const satisfies Pick<
  Settings,
  "mode" | "sandbox" | "transactions" | "network" | "limits" | "context" | "tools" | "log"
>;
