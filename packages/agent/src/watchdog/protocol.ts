/** What the two threads say to each other. The beats themselves are one shared number, see `BEATS`. */
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
  /** The stack of another thread than the main one can't be read. */
  readonly watchesMain: boolean;
};

/** The loop runs again. */
export type Freeze = {
  readonly durationMs: number;
  /** The function where it hung and its callers, innermost first; null if it could not be found out. */
  readonly where: string | null;
};

/** The place in the shared memory that the watched thread counts up. */
export const BEATS = 0;
/** A place that nobody changes, to sleep on. */
export const NEVER_WOKEN = 1;
export const SHARED_PLACES = 2;
export const BEAT_EVERY_MS = 500;
/** How often the watching thread looks. Four seconds of silence are noticed after at most 4.5. */
export const LOOK_EVERY_MS = 250;

/** How a process ends that was ended for a frozen loop; no code that Node or a shell uses by itself. */
export const FREEZE_EXIT_CODE = 86;
