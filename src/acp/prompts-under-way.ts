/** Prompts by their sessions. A cancel reaches those too that still wait for their session to be opened. */
export interface PromptsUnderWay {
  /** `over` is set by a cancel for the session, and by the request's own signal. */
  follow<Value>(sessionId: string, request: AbortSignal, work: (over: AbortSignal) => Promise<Value>): Promise<Value>;
  cancel(sessionId: string): void;
}

export function createPromptsUnderWay(): PromptsUnderWay {
  const underWay = new Set<{ readonly sessionId: string; readonly cancelled: AbortController }>();
  return {
    async follow(sessionId, request, work) {
      const prompt = { sessionId, cancelled: new AbortController() };
      underWay.add(prompt);
      try {
        return await work(AbortSignal.any([request, prompt.cancelled.signal]));
      } finally {
        underWay.delete(prompt);
      }
    },
    cancel(sessionId) {
      for (const prompt of underWay) if (prompt.sessionId === sessionId) prompt.cancelled.abort("cancelled");
    },
  };
}
