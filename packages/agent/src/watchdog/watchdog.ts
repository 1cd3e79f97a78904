import { isMainThread, Worker } from 'node:worker_threads';
import { warnOfHost } from '../host-fault.ts';
import { checkPositive, OptionError, refuseUnknown } from '../option-error.ts';
import {
  BEAT_EVERY_MS,
  BEATS,
  type Freeze,
  type ReportTarget,
  SHARED_PLACES,
  type WatchSettings,
  type WatchStart,
} from './protocol.ts';

export type { Freeze } from './protocol.ts';

/** How the watchdog thread watches the event loop. */
export type WatchdogOptions = {
  /**
   * An event loop that did not run for this long is blocked. It is noticed at most half a second later.
   * @default 4000
   */
  readonly freezeAfterMs?: number;
  /**
   * `report` writes one line to stderr and reports to the server of a connected client. `exit` also ends the
   * process with exit code 86 when the loop stays blocked, so that its supervisor can restart it.
   * @default 'report'
   */
  readonly onFreeze?: 'report' | 'exit';
  /**
   * How long the loop may be blocked before `exit` ends the process. More than `freezeAfterMs`.
   * @default 10000
   */
  readonly exitAfterMs?: number;
  /** Called once the loop runs again, with how long it was blocked and where. */
  readonly onThaw?: (freeze: Freeze) => void;
};

export type Watchdog = {
  /** The thread ends when its last user stops it. */
  readonly stop: () => void;
  /** Also reports to this server, over a connection of the thread itself; null stops that. */
  readonly reportTo: (target: ReportTarget | null) => void;
};

const OPTIONS = [
  'freezeAfterMs',
  'onFreeze',
  'exitAfterMs',
  'onThaw',
] as const satisfies readonly (keyof WatchdogOptions)[];

type User = Required<Omit<WatchdogOptions, 'onThaw'>> & {
  readonly onThaw: ((freeze: Freeze) => void) | null;
  target: ReportTarget | null;
};

/** All users of a process share one thread; the strictest of their options applies. */
const users = new Set<User>();
let thread: WatchdogThread | null = null;

/**
 * Starts a thread that notices when this thread's event loop is blocked, which code on that loop cannot notice.
 * Suspended processes, sleeping machines and breakpoints do not count. Does not keep the process alive.
 * @throws OptionError if an option is wrong
 */
export function startWatchdog(options: WatchdogOptions = {}): Watchdog {
  const user = readOptions(options);
  users.add(user);
  settle();
  return {
    stop: () => {
      if (users.delete(user)) settle();
    },
    reportTo: (target) => {
      user.target = target;
      settle();
    },
  };
}

function settle(): void {
  if (users.size === 0) {
    thread?.stop();
    thread = null;
    return;
  }
  const all = [...users];
  const exits = all.filter(({ onFreeze }) => onFreeze === 'exit').map(({ exitAfterMs }) => exitAfterMs);
  const settings: WatchSettings = {
    freezeAfterMs: Math.min(...all.map(({ freezeAfterMs }) => freezeAfterMs)),
    exitAfterMs: exits.length > 0 ? Math.min(...exits) : null,
    targets: all.flatMap(({ target }) => target ?? []),
  };
  if (thread) thread.change(settings);
  else thread = new WatchdogThread(settings);
}

function readOptions(options: WatchdogOptions): User {
  refuseUnknown(options, OPTIONS, 'startWatchdog');
  const { freezeAfterMs = 4_000, onFreeze = 'report', exitAfterMs = 10_000, onThaw = null } = options;
  checkPositive(freezeAfterMs, 'freezeAfterMs');
  checkPositive(exitAfterMs, 'exitAfterMs');
  // Beats come every half second, so with less a busy loop would count as blocked.
  if (freezeAfterMs < 2 * BEAT_EVERY_MS)
    throw new OptionError(
      'bad_option',
      `freezeAfterMs must be at least ${2 * BEAT_EVERY_MS}`,
      'freezeAfterMs',
    );
  if (exitAfterMs <= freezeAfterMs)
    throw new OptionError('bad_option', 'exitAfterMs must be more than freezeAfterMs', 'exitAfterMs');
  if (onFreeze !== 'report' && onFreeze !== 'exit')
    throw new OptionError('bad_option', 'onFreeze must be report or exit', 'onFreeze');
  return { freezeAfterMs, onFreeze, exitAfterMs, onThaw, target: null };
}

function tell(onThaw: User['onThaw'], freeze: Freeze): void {
  try {
    onThaw?.(freeze);
  } catch (error) {
    warnOfHost('onThaw', error);
  }
}

/** A worker cannot run TypeScript: from a source file, the built thread is started. */
const threadFile = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/watchdog/thread.js', import.meta.url)
  : new URL('./thread.js', import.meta.url);

class WatchdogThread {
  private readonly worker: Worker;
  private readonly timer: NodeJS.Timeout;

  constructor(settings: WatchSettings) {
    const shared = new SharedArrayBuffer(SHARED_PLACES * Int32Array.BYTES_PER_ELEMENT);
    const beats = new Int32Array(shared);
    const start: WatchStart = { shared, settings, pid: process.pid, watchesMain: isMainThread };
    // The host's flags and environment are not passed on: its loaders and debuggers are not meant for this thread.
    this.worker = new Worker(threadFile, {
      workerData: start,
      name: 'holter-watchdog',
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    this.worker.on('message', (freeze: Freeze) => {
      for (const { onThaw } of users) tell(onThaw, freeze);
    });
    this.worker.on('error', (error) =>
      process.emitWarning(`the watchdog thread has failed: ${error.message}`, 'HolterWarning'),
    );
    this.worker.unref();
    this.timer = setInterval(() => Atomics.add(beats, BEATS, 1), BEAT_EVERY_MS);
    this.timer.unref();
  }

  change(settings: WatchSettings): void {
    this.worker.postMessage(settings);
  }

  stop(): void {
    clearInterval(this.timer);
    void this.worker.terminate();
  }
}
