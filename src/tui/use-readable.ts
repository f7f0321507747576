import { useEffect, useRef, useState } from "react";

/**
 * False until a question has been there for a moment and nobody has typed for three times as long: the end of a
 * sentence that was being written when it came is no answer to it.
 */
export function useReadable(unreadMs: number): { readonly readable: boolean; stillTyping(): void } {
  const [readable, setReadable] = useState(unreadMs === 0);
  const waking = useRef<NodeJS.Timeout>(undefined);
  useEffect(() => {
    waking.current = setTimeout(() => setReadable(true), unreadMs);
    return () => clearTimeout(waking.current);
  }, [unreadMs]);
  return {
    readable,
    stillTyping() {
      clearTimeout(waking.current);
      waking.current = setTimeout(() => setReadable(true), 3 * unreadMs);
    },
  };
}
