import { writeSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { realClock } from '../real-clock.ts';
import { exitMain, type MainStack, readMainStack } from './main-stack.ts';
import {
  BEATS,
  FREEZE_EXIT_CODE,
  type Freeze,
  LOOK_EVERY_MS,
  NEVER_WOKEN,
  type WatchStart,
} from './protocol.ts';
import { report } from './report.ts';

/**
 * The watchdog thread: it checks a counter that the watched loop increments. Only time in which this thread itself
 * ran counts as silence, so a suspended process or a sleeping machine is not taken for a freeze. The inspector
 * shows whether the loop is stopped at a breakpoint.
 */
const { shared, settings: startSettings, pid, watchesMain } = workerData as WatchStart;
const beats = new Int32Array(shared);
const { monotonic } = realClock;

type Course = {
  readonly id: string;
  /** Null until the inspector has answered. */
  stack: MainStack | null;
  isTold: boolean;
  isEnding: boolean;
};

let settings = startSettings;
let beatsSeen = -1;
let silentMs = 0;
let lookedAt = monotonic();
let course: Course | null = null;
/** Pending requests to the inspector and reports to servers. */
let underWay = 0;

/** The most that one check may add to a freeze: a suspended process shows as one very late check. */
const LATE_SHARE = 4;
/** The stack is requested before the freeze is certain, so that both are ready in time on a busy machine too. */
const ASK_SHARE = 0.75;
const PATIENCE_MS = 700;
/** If a regular exit does not work, the process is killed. */
const KILL_AFTER_MS = 2_000;

function look(): void {
  const now = monotonic();
  // A very late check means that this thread did not run either.
  silentMs += Math.min(now - lookedAt, settings.freezeAfterMs / LATE_SHARE);
  lookedAt = now;
  const beatsNow = Atomics.load(beats, BEATS);
  if (beatsNow !== beatsSeen) {
    beatsSeen = beatsNow;
    if (course?.isTold) noteEnd(course);
    course = null;
    silentMs = 0;
    return;
  }
  if (!course && silentMs >= settings.freezeAfterMs * ASK_SHARE) {
    course = { id: `freeze-${pid}-${realClock.wall()}`, stack: null, isTold: false, isEnding: false };
    follow(askWhere(course));
  }
  if (course) maybeTell(course);
  const { exitAfterMs } = settings;
  if (course?.isTold && exitAfterMs !== null && silentMs >= exitAfterMs) endProcess(course, exitAfterMs);
}

async function askWhere(of: Course): Promise<void> {
  const waitMs = settings.freezeAfterMs * (1 - ASK_SHARE) + PATIENCE_MS;
  of.stack = watchesMain ? await readMainStack(waitMs) : { kind: 'unknown' };
  maybeTell(of);
}

/** Called when it is time, the stack is known or cannot be read, and the loop is still blocked. */
function maybeTell(of: Course): void {
  const { stack } = of;
  if (of.isTold || of !== course || stack === null || silentMs < settings.freezeAfterMs) return;
  if (stack.kind === 'debugged' || Atomics.load(beats, BEATS) !== beatsSeen) return;
  of.isTold = true;
  const place = placeOf(of);
  const where = place === null ? 'at an unknown place (native code?)' : `in ${place}`;
  const text = `the event loop has been blocked for ${seconds(silentMs)} ${where}`;
  say(`event-loop-freeze: pid ${pid}: ${text}`);
  for (const target of settings.targets)
    follow(
      report(target, [
        { kind: 'blocker', id: of.id, text: `event-loop-freeze: ${text}` },
        { kind: 'status', id: `${of.id}-status`, status: 'degraded' },
      ]),
    );
}

function noteEnd(of: Course): void {
  const freeze: Freeze = { durationMs: silentMs, where: placeOf(of) };
  say(`event-loop-back: pid ${pid}: the event loop runs again after ${seconds(silentMs)}`);
  parentPort?.postMessage(freeze);
  for (const target of settings.targets)
    follow(report(target, [{ kind: 'status', id: `${of.id}-end`, status: 'healthy' }]));
}

function endProcess(of: Course, afterMs: number): void {
  if (of.isEnding) return;
  of.isEnding = true;
  say(
    `event-loop-freeze: pid ${pid}: still blocked after ${seconds(afterMs)}; exit code ${FREEZE_EXIT_CODE}`,
  );
  void exitMain(FREEZE_EXIT_CODE);
  setTimeout(() => process.kill(pid, 'SIGKILL'), KILL_AFTER_MS);
}

/** Writes to the file descriptor, because the streams of a thread go through the blocked main loop. */
function say(line: string): void {
  try {
    writeSync(2, `holter: ${line}\n`);
  } catch {
    // stderr is closed; the report to the server is still sent.
  }
}

const placeOf = ({ stack }: Course): string | null => (stack?.kind === 'running' ? stack.where : null);

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function follow(work: Promise<void>): void {
  underWay += 1;
  void work.finally(() => {
    underWay -= 1;
  });
}

/**
 * While the loop runs, this thread sleeps in one system call between checks and runs no event loop. The inspector
 * and the network need one, so it runs from the first sign of a freeze until the last report.
 */
function watch(): void {
  do {
    if (!course && underWay === 0) Atomics.wait(beats, NEVER_WOKEN, 0, LOOK_EVERY_MS);
    const next = parentPort && receiveMessageOnPort(parentPort);
    if (next) settings = next.message as WatchStart['settings'];
    look();
  } while (!course && underWay === 0);
  setTimeout(watch, LOOK_EVERY_MS);
}

watch();
