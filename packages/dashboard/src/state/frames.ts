/**
 * Spreads work over several frames. A message may change sixty rows, and drawing them all in one task would delay
 * key presses and scrolling; a delay of a few frames between rows is not visible.
 */
type FrameQueue<T> = {
  /** A newer piece replaces a waiting one with the same key. */
  put(key: string, piece: T): void;
};

export function frameQueue<T>(
  perFrame: number,
  nextFrame: (then: () => void) => unknown,
  work: (pieces: readonly T[]) => void,
): FrameQueue<T> {
  const waiting = new Map<string, T>();
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    nextFrame(run);
  };
  const run = (): void => {
    isScheduled = false;
    const pieces = [...waiting].slice(0, perFrame);
    for (const [key] of pieces) waiting.delete(key);
    work(pieces.map(([, piece]) => piece));
    schedule();
  };
  return {
    put: (key, piece) => {
      waiting.set(key, piece);
      schedule();
    },
  };
}
