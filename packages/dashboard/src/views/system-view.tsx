import type { HealthView, SystemView as SystemData } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { get } from '../api.ts';
import { useFresh } from '../fresh.ts';
import { Loading, Problem } from '../parts/messages.tsx';
import { Ago } from '../parts/time.tsx';
import { bytes, grouped } from '../words.ts';

/** Who watches the watcher: its tick, its queues, its store. */
export function SystemView() {
  const { data, problem, reload } = useFresh(
    'system',
    async (stop) => ({
      health: await get<HealthView>('/health', {}, stop),
      system: await get<SystemData>('/v1/system', {}, stop),
    }),
    2_000,
  );
  useEffect(() => {
    document.title = 'System · Holter';
  }, []);
  if (!data)
    return problem === null ? <Loading what="Holter itself" /> : <Problem error={problem} retry={reload} />;
  const { health, system } = data;
  const rows: readonly (readonly [name: string, value: string, isFine: boolean, says: string])[] = [
    ['Tick lag', `${health.tickLagMs} ms`, health.tickLagMs < 500, 'how late the last look at the clock was'],
    [
      'Waiting inputs',
      grouped(health.queueDepth),
      health.queueDepth < 1_000,
      'signals that are not folded in yet',
    ],
    ['Waiting beats', grouped(health.softWaiting), true, 'flushed at most a second apart'],
    [
      'Stalls on record',
      grouped(health.stallCount),
      true,
      'times in which nobody looked; deadlines moved by them',
    ],
    [
      'Brake',
      health.brakes.join(', ') || 'off',
      health.brakes.length === 0,
      'groups lost together: single acts rest',
    ],
    [
      'Store',
      health.storeReason ?? health.store,
      health.store === 'ok',
      'nothing destructive happens without it',
    ],
    [
      'Outbox waiting',
      grouped(system.outbox.pending + system.outbox.claimed),
      true,
      'effects to be carried out',
    ],
    [
      'Outbox given up',
      grouped(system.outbox.dead),
      system.outbox.dead === 0,
      'tried too often; a person was told',
    ],
    ['Agents in memory', grouped(health.cells), true, 'the rest is in the store'],
    ['Listeners', grouped(health.streams), true, 'open streams, this page included'],
    ['Events kept', grouped(system.events), true, 'since the beginning'],
    ['Memory', bytes(system.memoryBytes), true, 'of this process'],
  ];
  return (
    <>
      <h1>System</h1>
      <p class="lead">
        Holter {health.version} is <b>{health.status}</b>, started <Ago at={health.startedAt} />.
      </p>
      {problem !== null && <Problem error={problem} retry={reload} />}
      <section class="tiles" aria-label="Holter's own pulse">
        {rows.map(([name, value, isFine, says]) => (
          <div class={`tile ${isFine ? '' : 'bad'}`} key={name}>
            <span class="number">
              {!isFine && <span aria-hidden="true">▲ </span>}
              {value}
            </span>
            <span>{name}</span>
            <span class="soft">{says}</span>
          </div>
        ))}
      </section>
    </>
  );
}
