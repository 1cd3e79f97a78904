import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compile } from '../../src/policy/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { startHttp, type TestServer } from './kit.ts';

describe('metrics of the fleet', () => {
  const store = openMemory();
  let server: TestServer;
  beforeEach(async () => {
    server = await startHttp({ store: openMemory() });
  });
  afterEach(() => server.stop());

  const read = async (): Promise<string> => {
    const { status, text } = await server.call('GET', '/metrics', { token: server.tokens.viewer });
    expect(status).toBe(200);
    return text;
  };
  const series = async (name: string): Promise<readonly string[]> =>
    (await read()).split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const register = (agentId: string, group: string) =>
    server.operator.register({ agentId, group, instanceId: 'i' });
  const configure = (metrics: object): void => {
    const compiled = compile({ metrics });
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
    server.engine.setPolicies(compiled.policies);
  };

  it('counts each group by state, with a 0 for states without agents', async () => {
    await register('ada', 'crew');
    await register('bob', 'crew');
    await register('cyd', 'night');
    expect(await series('holter_group_agents')).toEqual(
      ['crew', 'night'].flatMap((group) =>
        ['FAILING', 'STUCK', 'DEGRADED', 'HEALTHY', 'TERMINATED'].map((state) => {
          const count = state !== 'HEALTHY' ? 0 : group === 'crew' ? 2 : 1;
          return `holter_group_agents{group="${group}",state="${state}"} ${count}`;
        }),
      ),
    );
    expect(await series('holter_group_incidents')).toEqual([
      'holter_group_incidents{group="crew"} 0',
      'holter_group_incidents{group="night"} 0',
    ]);
    expect(await read()).not.toContain('ada');
  });

  it('adds up the groups beyond the hundredth, and loses no agent', async () => {
    for (let i = 0; i < 103; i += 1) await register(`agent-${i}`, `group-${i}`);
    const lines = await series('holter_group_agents');
    expect(lines).toHaveLength(101 * 5);
    expect(lines).toContain('holter_group_agents{group="(other)",state="HEALTHY"} 3');
    const all = lines.map((line) => Number(line.split(' ')[1])).reduce((sum, value) => sum + value, 0);
    expect(all).toBe(103);
  });

  it('names agents only when it is told to, at most as many as wanted, those in trouble first', async () => {
    for (const agentId of ['ada', 'bob', 'cyd']) await register(agentId, 'crew');
    expect(await series('holter_agent_state')).toEqual([]);
    configure({ per_agent: true, agents_max: 2 });
    expect(await series('holter_agent_state')).toEqual([
      'holter_agent_state{agent="ada",group="crew",state="HEALTHY"} 1',
      'holter_agent_state{agent="bob",group="crew",state="HEALTHY"} 1',
    ]);
    expect(await series('holter_agents_not_exported')).toEqual(['holter_agents_not_exported 1']);
    await server.operator.signal('cyd', {
      kind: 'error',
      message: 'no disk',
      isUnrecoverable: true,
      incarnation: 1,
    });
    expect(await series('holter_agent_incidents')).toEqual([
      'holter_agent_incidents{agent="cyd",group="crew"} 1',
      'holter_agent_incidents{agent="ada",group="crew"} 0',
    ]);
    await server.operator.signal('ada', { kind: 'exited', code: 0, incarnation: 1 });
    expect(await series('holter_agents_not_exported')).toEqual(['holter_agents_not_exported 0']);
    expect(await series('holter_agent_beat_time_seconds')).toEqual([]);
    await server.operator.heartbeat('bob', { incarnation: 1 });
    expect(await series('holter_agent_beat_time_seconds')).toHaveLength(1);
  });

  it('answers while the store is away, and says so', async () => {
    await server.stop();
    server = await startHttp({ store });
    await register('ada', 'crew');
    expect(await series('holter_store_up')).toEqual(['holter_store_up 1']);
    const { countByHealth, swapMeta } = store;
    const away = async (): Promise<never> => {
      throw new StoreUnavailable('disk_full', 'no space left');
    };
    Object.assign(store, { countByHealth: away, swapMeta: away });
    server.clock.skip(2_000);
    await server.engine.tick();
    expect(await series('holter_store_up')).toEqual(['holter_store_up 0']);
    expect(await series('holter_agents')).toContain('holter_agents{state="HEALTHY"} 1');
    Object.assign(store, { countByHealth, swapMeta });
  });
});
