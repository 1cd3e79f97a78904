/**
 * Runs when what is drawn now is on the screen. In the frame's own callback it would be part of the same frame: two
 * pieces of work that were meant for two frames would be laid out and painted in one. Returns how to call it off.
 */
export function afterPaint(then: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(then);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
