/**
 * Work in small pieces, one per frame. A message may bring sixty rows at once, and drawing them all in one task
 * would hold up a key or a scroll; eyes do not see that a row came three frames after another.
 */
type FrameQueue<T> = {
  /** A newer piece of the same key takes the place of one that still waits. */
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
