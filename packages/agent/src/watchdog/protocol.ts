/** The messages between the two threads. The beats themselves are a shared counter, see `BEATS`. */
export type WatchSettings = {
  readonly freezeAfterMs: number;
  /** Null: only report. */
  readonly exitAfterMs: number | null;
  /** Servers to be told, each over a connection of this thread. */
  readonly targets: readonly ReportTarget[];
};

export type ReportTarget = { readonly url: string; readonly agentId: string; readonly token: string };

export type WatchStart = {
  readonly shared: SharedArrayBuffer;
  readonly settings: WatchSettings;
  readonly pid: number;
  /** Only the stack of the main thread can be read. */
  readonly watchesMain: boolean;
};

/** The loop runs again. */
export type Freeze = {
  readonly durationMs: number;
  /** The function that blocked the loop and its callers, innermost first; null if it could not be read. */
  readonly where: string | null;
};

/** The index in the shared memory that the watched thread increments. */
export const BEATS = 0;
/** An index that is never written; the watchdog thread sleeps on it. */
export const NEVER_WOKEN = 1;
export const SHARED_PLACES = 2;
export const BEAT_EVERY_MS = 500;
/** How often the watchdog thread checks. Four seconds of silence are noticed after at most 4.5. */
export const LOOK_EVERY_MS = 250;

/** The exit code after a frozen loop. Neither Node nor shells use it otherwise. */
export const FREEZE_EXIT_CODE = 86;
