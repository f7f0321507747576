export const sqliteCodes = { error: 1, busy: 5, corrupt: 11, notADatabase: 26 } as const;

/** What SQLite says went wrong; its more particular codes have it in their lowest byte. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
