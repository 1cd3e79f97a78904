// A server process with many agents that change all the time. Its arguments are the number of agents and of changes
// a second; it prints one line with its address and a log-in token.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, startServer } from '@holter/server';
import { loadConfig } from '@holter/server/config';
import { DataFolder, realClock } from '@holter/server/local';

const [agents, perSecond] = process.argv.slice(2).map(Number);
const dataFolder = mkdtempSync(join(tmpdir(), 'holter-bench-page-'));
const loaded = loadConfig(null);
const TICK_MS = 50;
const WINDOW = 60;
const AT_ONCE = 200;
let timer;

const server = await startServer({
  dataFolder,
  config: loaded.config,
  version: 'bench',
  logger: createLogger({ write: () => undefined, isPretty: false, hasColour: false, level: 'silent' }),
  port: 0,
  pageFolder: dirname(fileURLToPath(import.meta.resolve('@holter/dashboard/page/index.html'))),
  demo: { clock: realClock(), speed: 1, begin },
});
const token = new DataFolder(dataFolder).readToken('operator');
console.log(JSON.stringify({ url: server.url, token }));
process.on('SIGTERM', async () => {
  clearInterval(timer);
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true });
  process.exit(0);
});

/** Nine in ten changes are beats; the others are calls that begin and end, a few of which fail. */
function begin({ engine }) {
  const name = (i) => `agent-${String(i % agents).padStart(5, '0')}`;
  let next = 0;
  const change = () => {
    next += 1;
    // Half of the changes concern agents that are on the screen, so that the page has work to do.
    const agentId = name(next % 2 === 0 ? (next / 2) % Math.min(agents, WINDOW) : next * 7);
    const about = { agentId, incarnation: 1 };
    const call = { ...about, callId: `c${next - (next % 20)}`, tool: 'bash' };
    if (next % 20 === 10) return engine.signal({ ...call, kind: 'call-begun' }, 'agent');
    if (next % 20 === 0)
      return engine.signal(
        { ...call, kind: 'call-ended', isError: next % 200 === 0, output: `${next}` },
        'agent',
      );
    return engine.signal({ ...about, kind: 'heartbeat', tokenCount: next }, 'agent');
  };
  const register = (i) =>
    engine.register({
      agentId: name(i),
      instanceId: 'one',
      role: 'background',
      group: `group-${i % 20}`,
      mode: 'nudge',
      promises: { beatEveryMs: 300_000 },
      can: ['nudge'],
      executor: null,
    });
  const ready = (async () => {
    for (let from = 0; from < agents; from += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, agents - from) }, (_, i) => register(from + i)),
      );
  })();
  void ready.then(() => {
    timer = setInterval(() => {
      for (let i = 0; i < (perSecond * TICK_MS) / 1_000; i += 1) change().catch(() => undefined);
    }, TICK_MS);
  });
  return () => clearInterval(timer);
}
