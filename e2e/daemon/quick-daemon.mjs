// quick-daemon.mjs OPTIONS: the daemon with the settings of OPTIONS (JSON), for the server alone or, with `isWhole`, for
// the whole chain. Its long waits end when a line on its standard input says by how many milliseconds time goes on.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { memberLink } from '@holter/core';
import { DataFolder, realClock, systemTable } from '@holter/server/process';
import { findServer } from '../../packages/holter/dist/client/connection.js';
import { BootHand } from '../../packages/holter/dist/daemon/boot-hand.js';
import { deaconHand } from '../../packages/holter/dist/daemon/deacon-hand.js';
import { memberHand } from '../../packages/holter/dist/daemon/member-hand.js';
import { runDaemon } from '../../packages/holter/dist/daemon/run-daemon.js';
import { townDuties } from '../../packages/holter/dist/daemon/town-duties.js';
import { openChain } from '../../packages/holter/dist/deacon/context.js';
import { ChainMail } from '../../packages/holter/dist/town/chain-mail.js';
import { Town } from '../../packages/holter/dist/town/town.js';

const { settings, startCommand, isWhole } = JSON.parse(process.argv[2]);
const { HOME } = process.env;
const real = realClock();
const SHORT_MS = 5_000;
const waiting = new Set();
let passedMs = 0;
const now = () => real.now() + passedMs;
/** Waits for other processes are real; the time from one tick to the next passes on demand. */
const clock = {
  now,
  after: (ms, callback) => {
    if (ms < SHORT_MS) return real.after(ms, callback);
    const wait = { at: now() + ms, callback };
    waiting.add(wait);
    return () => waiting.delete(wait);
  },
};
/** Up to when the test has let time pass: what a slow machine takes for a tick does not come on top of it. */
let toldAt = null;
createInterface({ input: process.stdin }).on('line', (line) => {
  toldAt = (toldAt ?? now()) + Number(line);
  passedMs += Math.max(0, toldAt - now());
  // A tick that began a moment after it was told ends its wait a moment later.
  const due = [...waiting].filter(({ at }) => at <= now() + SHORT_MS);
  passedMs += Math.max(0, ...due.map(({ at }) => at - now()));
  for (const wait of due) {
    waiting.delete(wait);
    wait.callback();
  }
});
const unknown = async () => ({ at: clock.now(), process: null, state: 'unknown', cpuMs: null, tick: null });
const noHand = { look: unknown, stop: async () => 'not here', start: async () => undefined };
const noHands = { boot: noHand, deacon: noHand, members: new Map() };
const noDuties = {
  see: async () => ({ isBootRunning: true, triage: null, silence: null, lifecycle: [] }),
  triage: async () => undefined,
  wake: async () => undefined,
  handOver: async () => undefined,
};

async function wholeChain() {
  const io = { env: process.env, workingDirectory: HOME };
  const chain = await openChain(io, { town: join(HOME, 'town') });
  // tmux lets the command of a pane go on when it is stopped, but not what that has started.
  const command = ['sh', '-c', '"$@"; true', 'sh', ...chain.command];
  const quick = { ...chain, clock, command };
  const boot = new BootHand(quick, []);
  const names = [...chain.commands.agents.keys()];
  const members = new Map(names.map((name) => [memberLink(name), memberHand(quick, name)]));
  const mail = new ChainMail(() => findServer(io, {}, 'operator'));
  return { hands: { boot, deacon: deaconHand(quick), members }, duties: townDuties(quick, boot, mail) };
}

await runDaemon({
  town: new Town(join(HOME, 'town')),
  folder: new DataFolder(join(HOME, 'data')),
  clock,
  table: systemTable(),
  env: process.env,
  workingDirectory: HOME,
  settings,
  ...(isWhole ? await wholeChain() : { hands: noHands, duties: noDuties }),
  answerMs: 2_000,
  isOnce: false,
  onStop: (stop) => process.on('SIGTERM', stop),
  print: (line) => process.stderr.write(`${line}\n`),
  ...(startCommand && {
    startServer: async () => {
      const { status } = spawnSync('sh', ['-c', startCommand]);
      if (status !== 0) throw new Error(`exit code ${status}`);
    },
  }),
});
