import { randomUUID } from 'node:crypto';
import { Engine, loadConfig, openSqlite } from '../../packages/server/dist/index.js';

const AT_ONCE = 2_000;

/** Fills a database with agents `agent-0` … that have beaten once, faster than over HTTP. */
export async function seed(databaseFile, { count, beatEverySeconds, role = 'critical-infrastructure' }) {
  const store = await openSqlite(databaseFile);
  const offset = Date.now() - performance.now();
  const engine = new Engine({
    store,
    clock: {
      now: () => Math.floor(offset + performance.now()),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    policies: loadConfig(null).config.policies,
    executors: [],
    sha256: (text) => text,
    newId: randomUUID,
    newSecret: randomUUID,
    isAlone: true,
    onBug: (error) => {
      throw error;
    },
  });
  await engine.start();
  for (let first = 0; first < count; first += AT_ONCE) {
    const agentIds = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => `agent-${first + i}`);
    const promises = { beatEveryMs: beatEverySeconds * 1_000 };
    const rest = { instanceId: 'bench', role, group: 'default', mode: 'act', can: [], executor: null };
    await Promise.all(agentIds.map((agentId) => engine.register({ agentId, promises, ...rest })));
    await Promise.all(
      agentIds.map((agentId) => engine.signal({ kind: 'heartbeat', agentId, incarnation: 1 }, 'agent')),
    );
  }
  await engine.stop();
  await store.close();
}
