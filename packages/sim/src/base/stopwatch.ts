/**
 * Measures how long the core takes. The simulator itself reads no clock; its caller may pass a stopwatch
 * that does.
 */
export interface Stopwatch {
  start(): void;
  stop(): void;
}

export const noStopwatch: Stopwatch = { start: () => undefined, stop: () => undefined };
