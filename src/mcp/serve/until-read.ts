/** The same answer, and `onEnd` is told once: when it was read to its end, or nobody reads it any more. */
export function untilRead(response: Response, onEnd: () => void): Response {
  const { body, headers } = response;
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const read = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (isOver) return;
      if (value !== undefined) controller.enqueue(value);
      if (!done) return;
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(read, response);
}
