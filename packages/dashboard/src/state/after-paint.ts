/**
 * Runs the callback after the next frame has been painted. In the frame's own callback it would belong to the same
 * frame, and two pieces of work meant for two frames would be painted in one. Returns a function that cancels it.
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
