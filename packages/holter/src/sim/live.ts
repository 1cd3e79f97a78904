import { defaultScenario, Simulation } from '@holter/sim';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { LiveFeed } from './live-feed.ts';
import { frame } from './live-frame.ts';
import type { SimOptions } from './options.ts';
import { secondsNow } from './wall-clock.ts';

/** Simulated time runs this many times as fast: a ladder of an hour is a minute of watching. */
const SPEED = 60;
const FRAME_MS = 200;
const AGENTS = 12;
/** Faults are this much more frequent than in reality, so that a minute shows some. */
const HASTE = 18;
/** A pipe cannot be redrawn: it gets a frame now and then, and the news as lines. */
const PLAIN_EVERY_S = 10;
/** One of each, so that there is something to see; the rest of the fleet is drawn from the mix. */
const CAST = [
  'steady-worker',
  'bursty-thinker',
  'crasher',
  'looper',
  'cured-by-nudge',
  'freezer',
  'partitioned',
  'deaf',
  'waiting-for-input',
  'zombie',
  'relapser',
  'long-tool',
];

export async function showLive(io: Io, options: SimOptions): Promise<void> {
  const feed = new LiveFeed();
  const only = options.only.length > 0 ? options.only : CAST;
  const faults =
    options.faults.length === defaultScenario.faults.length ? (['network'] as const) : options.faults;
  const simulation = new Simulation(
    {
      ...defaultScenario,
      agents: AGENTS,
      hours: 24 * 30,
      seed: options.seed,
      haste: HASTE,
      faults,
      only,
      isCast: true,
    },
    { witnesses: [feed] },
  );
  const paint = painter(io);
  const startedAt = secondsNow();
  const from = simulation.startsAt;
  const draw = io.isTerminal ? redrawn(io) : appended(io, feed);
  let isStopped = false;
  const stopListening = io.onStop(() => {
    isStopped = true;
  });
  if (io.isTerminal) io.out('\u001b[?25l\u001b[2J');
  while (!isStopped) {
    const seconds = secondsNow() - startedAt;
    simulation.world.runUntil(from + seconds * SPEED * 1_000);
    feed.sample(simulation);
    draw(frame(simulation, feed, { paint, width: io.width, speed: SPEED }), seconds);
    if (options.seconds !== undefined && seconds >= options.seconds) break;
    await pause(FRAME_MS);
  }
  stopListening();
  if (io.isTerminal) io.out('\u001b[?25h\n');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Draw = (picture: string, seconds: number) => void;

/** Moves the cursor home, clears each line to its end and the rest below: no flicker, no scrolling. */
function redrawn(io: Io): Draw {
  return (picture) => io.out(`\u001b[H${picture.replaceAll('\n', '\u001b[K\n')}\u001b[J`);
}

function appended(io: Io, feed: LiveFeed): Draw {
  let picturedAt = Number.NEGATIVE_INFINITY;
  return (picture, seconds) => {
    for (const line of feed.takeNews()) io.out(`${line}\n`);
    if (seconds - picturedAt < PLAIN_EVERY_S) return;
    picturedAt = seconds;
    io.out(`\n${picture}\n`);
  };
}
