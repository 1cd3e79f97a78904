import type { HealthView, SystemView as SystemData } from '@holter/server/wire';
import { useEffect } from 'preact/hooks';
import { NotYet, Problem } from '../parts/messages.tsx';
import { Tile } from '../parts/tile.tsx';
import { Ago } from '../parts/time.tsx';
import { bytes, duration, grouped } from '../parts/words.ts';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';
import { link } from '../state/live.ts';
import { session } from '../state/session.ts';
import { Channels } from './channels.tsx';
import { Brakes, Stalls } from './system-tables.tsx';
import { Tokens } from './tokens.tsx';
import { Outside, Troubles } from './watch-the-watcher.tsx';

const LOOK_MS = 2_000;
const LAG_MS_MAX = 500;
const QUEUE_MAX = 1_000;
const GRACE_MAX = 0.1;
/** The server stops counting here. */
const COUNTED_MAX = 500;

const counted = (count: number): string =>
  count >= COUNTED_MAX ? `${grouped(COUNTED_MAX)} or more` : grouped(count);
const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** The health of Holter itself: its tick, its queues, its store. */
export function SystemView() {
  const { data, problem, reload } = useFresh(
    'system',
    async (stop) => {
      const [health, system] = await Promise.all([
        get<HealthView>('/health', {}, stop),
        get<SystemData>('/v1/system', {}, stop),
      ]);
      return { health, system };
    },
    LOOK_MS,
    LOOK_MS,
  );
  useEffect(() => {
    document.title = 'System · Holter';
  }, []);
  if (!data) return <NotYet title="System" what="Holter itself" problem={problem} retry={reload} />;
  const { health, system } = data;
  const speed = session.value?.demoSpeed ?? 1;
  return (
    <>
      <h1>System</h1>
      <p class="lead">
        Holter {health.version} is <b>{health.status}</b>, started <Ago at={health.startedAt} />.
        {speed > 1 &&
          ` In this demo one second of Holter takes ${Math.round(1_000 / speed)} ms, so that a busy machine looks like one that was suspended.`}
      </p>
      {problem !== null && link.value !== 'lost' && <Problem error={problem} retry={reload} />}
      <Troubles troubles={health.troubles} />
      <section class="tiles small" aria-label="Holter's own health">
        <Pulse health={health} speed={speed} />
        <Outbox outbox={system.outbox} />
      </section>
      <div class="pair">
        <section class="card">
          <h2>Monitoring gaps</h2>
          <Stalls stalls={system.stalls} share={percent(health.graceShare)} />
        </section>
        <div>
          <section class={system.brakes.length > 0 ? 'card bad' : 'card'}>
            <h2>Brake</h2>
            <Brakes brakes={system.brakes} />
          </section>
          <Kept health={health} system={system} />
        </div>
      </div>
      <Channels />
      <Tokens />
    </>
  );
}

function Pulse({ health, speed }: { readonly health: HealthView; readonly speed: number }) {
  const lagMs = Math.round(health.tickLagMs / speed);
  return (
    <>
      <Tile
        name="Tick lag"
        value={`${lagMs} ms`}
        isBad={lagMs >= LAG_MS_MAX}
        note="how late the last tick was"
      />
      <Tile
        name="Grace time, last hour"
        value={percent(health.graceShare)}
        isBad={health.graceShare > GRACE_MAX}
        note="monitoring gaps, in which silence does not count; bad above 10 %"
      />
      <Tile
        name="Waiting inputs"
        value={grouped(health.queueDepth)}
        isBad={health.queueDepth >= QUEUE_MAX}
        note="signals that are not processed yet"
      />
      <Tile name="Waiting beats" value={grouped(health.softWaiting)} note="written within a second" />
      <Tile
        name="Store"
        value={health.store}
        isBad={health.store !== 'ok'}
        note={health.storeReason ?? 'no agent is stopped without it'}
      />
    </>
  );
}

function Outbox({ outbox }: { readonly outbox: SystemData['outbox'] }) {
  return (
    <>
      <Tile name="Outbox: waiting" value={counted(outbox.pending)} note="acts that have not begun" />
      <Tile name="Outbox: under way" value={counted(outbox.claimed)} note="begun, not finished" />
      <Tile
        name="Outbox: given up"
        value={counted(outbox.dead)}
        isBad={outbox.dead > 0}
        note="tried too often; escalated to a person"
      />
    </>
  );
}

function Kept({ health, system }: { readonly health: HealthView; readonly system: SystemData }) {
  const { keptMs, oldestEventAt } = system.retention;
  return (
    <section class="card">
      <h2>What is kept</h2>
      <dl class="facts">
        <div>
          <dt>Audit trail</dt>
          <dd>
            {grouped(system.events)} events so far, each kept {duration(keptMs)}
            {oldestEventAt !== null && (
              <>
                ; the oldest is from <Ago at={oldestEventAt} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Agents</dt>
          <dd>{grouped(health.cells)} in memory, the others in the store</dd>
        </div>
        <div>
          <dt>Listeners</dt>
          <dd>{grouped(health.streams)}, this page included</dd>
        </div>
        <Outside system={system} />
        <div>
          <dt>Process</dt>
          <dd>
            {bytes(system.memoryBytes)} of memory, {duration(system.cpuSeconds * 1_000)} of CPU time
          </dd>
        </div>
      </dl>
    </section>
  );
}
