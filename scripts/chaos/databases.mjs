// How the servers reach PostgreSQL: directly, through pgbouncer, or as one of two of which the other takes over. Each way
// has its own faults.

import { startPgbouncer } from '../pgbouncer.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const between = (min, max) => min + Math.random() * (max - min);
const seconds = (ms) => (ms / 1_000).toFixed(1);

export const openDirectly = async (postgres) => ({
  get port() {
    return postgres.port;
  },
  faultsOf: () => ({}),
  dispose: () => postgres.dispose(),
});

export async function openThroughPgbouncer(postgres) {
  const pgbouncer = await startPgbouncer(postgres);
  if (pgbouncer === null) throw new Error('pgbouncer is not installed');
  return {
    port: pgbouncer.port,
    faultsOf: ({ outages }) => ({
      'pgbouncer is killed': () =>
        duringOutage(outages, async () => {
          await pgbouncer.stop();
          await pause(between(500, 5_000));
          await pgbouncer.start();
        }),
    }),
    dispose: async () => {
      await pgbouncer.dispose();
      await postgres.dispose();
    },
  };
}

/** A commit is acknowledged when both have it. The servers say when they noticed an outage, and when they went on. */
export async function openWithStandby(postgres) {
  let primary = postgres;
  let standby = await primary.startStandby();
  return {
    get port() {
      return primary.port;
    },
    faultsOf: ({ servers, outages, say }) => {
      const outage = (body) => watched(servers, say, () => duringOutage(outages, body));
      return {
        'PostgreSQL is frozen': () =>
          outage(async () => {
            primary.signal('SIGSTOP');
            await pause(between(3_000, 30_000));
            primary.signal('SIGCONT');
          }),
        'the standby takes over': async () => {
          const former = primary;
          await outage(async () => {
            await former.stop('KILL');
            await pause(between(2_000, 15_000));
            await standby.query('select pg_promote()');
            primary = standby;
          });
          await former.dispose();
          standby = await primary.startStandby();
        },
        'PostgreSQL is started again': () =>
          outage(async () => {
            await primary.stop('INT');
            await pause(between(500, 5_000));
            while (!(await primary.start())) await pause(200);
          }),
      };
    },
    dispose: async () => {
      await standby.dispose();
      await primary.dispose();
    },
  };
}

async function duringOutage(outages, body) {
  const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY };
  outages.push(outage);
  await body();
  outage.to = Date.now();
}

async function watched(servers, say, body) {
  const from = Date.now();
  let isOver = false;
  const noticed = untilEach(
    servers,
    (store) => store !== 'ok',
    () => isOver,
  );
  await body();
  isOver = true;
  const lastedMs = Date.now() - from;
  const deadline = Date.now() + 60_000;
  const goesOn = await untilEach(
    servers,
    (store) => store === 'ok',
    () => Date.now() > deadline,
  );
  say(`  away for ${seconds(lastedMs)} s; said after ${await noticed} s, well again after ${goesOn} s`);
}

/** Seconds until each server says so of its store; a dash for one that does not before `isOver`. */
async function untilEach(servers, isSo, isOver) {
  const from = Date.now();
  const times = servers.map(async ({ port }) => {
    for (; !isOver(); await pause(100)) if (isSo(await storeOf(port))) return seconds(Date.now() - from);
    return '-';
  });
  return (await Promise.all(times)).join(' / ');
}

const storeOf = (port) =>
  fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) }).then(
    async (response) => (await response.json()).store,
    () => 'no answer',
  );
