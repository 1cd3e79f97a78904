// `node bench/silent/servers.mjs [AGENTS]`: three servers over one PostgreSQL. All agents beat and then fall silent at
// once; when the first is flagged, one server is killed. Each agent has to be flagged by the others, and once: the
// event log is read at the end. Three minutes; exit 1 if an agent is missing.

import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../scripts/postgres.mjs';
import { enrollTokens, startChild } from '../server/child.mjs';
import { Connection, requestBytes } from '../server/connection.mjs';
import { beatAll } from './beat-all.mjs';

const EVERY_SECONDS = 60;
/** The role `critical-infrastructure`: lost after two missed beats and a quarter of the interval. */
const LOST_MS = 2.25 * EVERY_SECONDS * 1_000;
const GIVE_UP_MS = 300_000;
const CONNECTIONS = 16;

let cursor = 0;
const count = Number(process.argv[2] ?? 10_000);
const postgres = await startPostgres({ isDurable: true });
if (!postgres) throw new Error('PostgreSQL is not installed');
const servers = [];
for (let i = 0; i < 3; i += 1)
  servers.push(await startChild('holter.mjs', { env: { BENCH_DATABASE: postgres.url() } }));
const [dying, ...others] = servers;
try {
  const agentIds = Array.from({ length: count }, (_, i) => `agent-${i}`);
  await registerAll(agentIds);
  const shares = servers.map((_, i) => agentIds.filter((_agentId, at) => at % servers.length === i));
  const beat = () =>
    Promise.all(servers.map(({ first }, i) => beatAll(first.port, first.tokens.operator, shares[i])));
  await beat();
  const beatenAt = Math.min(...(await beat()).flatMap((each) => [...each.values()]));
  // Registering and beating took so long that some may have been late once already.
  await readLost();
  const lost = [];
  while (lost.length === 0 && Date.now() < beatenAt + GIVE_UP_MS) {
    await sleep(50);
    lost.push(...(await readLost()));
  }
  dying.child.kill('SIGKILL');
  const killedAt = Date.now();
  while (new Set(lost).size < count && Date.now() < beatenAt + GIVE_UP_MS) {
    await sleep(250);
    lost.push(...(await readLost()));
  }
  const allAt = Date.now();
  // What is judged a second time would come now.
  await sleep(10_000);
  lost.push(...(await readLost()));
  const different = new Set(lost).size;
  console.table([
    {
      agents: count,
      'first flagged after its deadline, s': (killedAt - beatenAt - LOST_MS) / 1_000,
      'last after the first, s': (allAt - killedAt) / 1_000,
      missing: count - different,
      'flagged twice': lost.length - different,
    },
  ]);
  console.log(`Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}`);
  process.exitCode = different === count ? 0 : 1;
} finally {
  await Promise.all(others.map((server) => server.stop()));
  await postgres.dispose();
}

async function registerAll(agentIds) {
  const tokens = await enrollTokens(dying.first, 20);
  const rest = [...agentIds];
  const work = async (_, i) => {
    const connection = new Connection(servers[i % servers.length].first.port);
    for (let agentId = rest.pop(); agentId !== undefined; agentId = rest.pop()) {
      const body = {
        agentId,
        instanceId: 'bench',
        role: 'critical-infrastructure',
        promises: { beatEverySeconds: EVERY_SECONDS },
      };
      const reply = await connection.ask(
        requestBytes('POST', '/v1/agents', { token: tokens[i % tokens.length], body }),
      );
      if (reply.status >= 300) throw new Error(reply.body);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

/** The agents of all new changes to unknown, in the order of the log; read by a server that lives on. */
async function readLost() {
  const [{ first }] = others;
  const lost = [];
  for (;;) {
    const response = await fetch(
      `http://127.0.0.1:${first.port}/v1/events?type=LIVENESS_CHANGED&limit=500&after=${cursor}`,
      { headers: { authorization: `Bearer ${first.tokens.viewer}` } },
    );
    const { events } = await response.json();
    if (events.length === 0) return lost;
    lost.push(...events.filter(({ payload }) => payload.to === 'unknown').map(({ agentId }) => agentId));
    cursor = Math.max(...events.map((event) => event.cursor));
  }
}
