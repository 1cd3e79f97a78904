import { wantedIdOf } from '@holter/core';
import { Counter, Gauge, Registry } from 'prom-client';
import { TROUBLES } from '../upkeep/index.ts';
import type { HttpDeps } from './deps.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { LimitHits } from './limit-hits.ts';
import { addSpendingMetrics } from './spending-metrics.ts';

/** Breakers that every agent may have. Others are counted together: their names are the agents' own. */
const breakerNames: readonly string[] = [
  'tool_execution',
  'checkpoint_write',
  'external_api',
  'recovery_attempt',
];

export type Metrics = {
  /** What to call after each answer of this route; named by its pattern, never by a path. */
  readonly route: (pattern: string) => (status: number, seconds: number) => void;
  readonly text: () => Promise<string>;
  readonly contentType: string;
  readonly close: () => void;
};

type Counted = {
  readonly streams: () => number;
  readonly hits: LimitHits;
  /** Series of the fleet, as text. */
  readonly fleet: () => Promise<string>;
};

/** What operators collect. Hot counters are plain numbers that are read when somebody asks. */
export function createMetrics(deps: HttpDeps, { streams, hits, fleet }: Counted): Metrics {
  const { engine, intake } = deps;
  const register = new Registry();
  const registers = [register];
  const events = new Map<string, number>();
  const effects = new Map<string, number>();
  const breakerMoves = new Map<string, number>();

  const tally = (name: string, help: string, label: string, counts: ReadonlyMap<string, number>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [key, count] of counts) this.inc({ [label]: key }, count);
      },
    });
  tally('holter_signals_total', 'Signals taken, by kind.', 'kind', intake.takenCounts);
  tally('holter_signals_refused_total', 'Signals refused, by kind.', 'kind', intake.refusedCounts);
  tally('holter_events_total', 'Events, by type.', 'type', events);
  tally('holter_effects_total', 'Effects wanted, by kind.', 'kind', effects);
  addSpendingMetrics(registers, engine.spending);

  new Counter({
    name: 'holter_limit_hits_total',
    help: 'Requests that reached a limit, by limit.',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset();
      for (const [limit, { count }] of hits.byName) this.inc({ limit }, count);
    },
  });

  new Counter({
    name: 'holter_breaker_changes_total',
    help: 'Changes of circuit breakers, by name and new state.',
    labelNames: ['breaker', 'to'],
    registers,
    collect() {
      this.reset();
      for (const [key, count] of breakerMoves) {
        const [breaker = '', to = ''] = key.split(' ');
        this.inc({ breaker, to }, count);
      }
    },
  });

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('holter_store_up', '1 while the store answers.', () => (engine.health.store === 'ok' ? 1 : 0));
  gauge('holter_tick_lag_seconds', 'How late the last tick was.', () => engine.health.tickLagMs / 1_000);
  gauge('holter_queue_depth', 'Inputs that wait to be folded.', () => engine.health.queueDepth);
  gauge('holter_soft_waiting', 'Agents with soft facts to flush.', () => engine.health.softWaiting);
  gauge('holter_stalls', 'Stalls on record.', () => engine.health.stallCount);
  gauge(
    'holter_grace_ratio',
    'Share of the last hour in which no silence counted.',
    () => engine.health.graceShare,
  );
  new Gauge({
    name: 'holter_unwell',
    help: '1 while something is wrong with Holter itself, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      const present = new Set(deps.alerts.troubles.map(({ kind }) => kind));
      for (const reason of TROUBLES) this.set({ reason }, present.has(reason) ? 1 : 0);
    },
  });
  gauge('holter_brakes_engaged', 'Groups under the mass-failure brake.', () => engine.health.brakes.length);
  gauge('holter_cells', 'Agents kept in memory.', () => engine.health.cells);
  gauge('holter_event_streams', 'Listeners of the event stream.', streams);
  gauge('holter_start_time_seconds', 'Start of this server.', () => deps.startedAt / 1_000);
  gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss());
  gauge('process_cpu_seconds_total', 'CPU time used.', cpuSeconds);

  const duration = new LatencyHistogram(
    'holter_http_request_seconds',
    'Time to answer, by route and class of status.',
  );

  let lastOrdered = '';
  const stops = [
    engine.onFollowed((followed) => {
      for (const event of followed.events) {
        count(events, event.type);
        if (event.type === 'CIRCUIT_BREAKER_STATE_CHANGED')
          count(breakerMoves, `${breakerLabel(event.payload.name)} ${event.payload.to}`);
      }
    }),
    // Beats that change nothing but their time are told, not committed.
    engine.onStreamed((streamed) => {
      for (const { type } of streamed) count(events, type);
    }),
    engine.onFollowedEffect(({ what, effect }) => {
      // The copies of a notice are ordered together, and are one.
      if (what === 'ordered' && lastOrdered !== wantedIdOf(effect)) count(effects, effect.kind);
      if (what === 'ordered') lastOrdered = wantedIdOf(effect);
    }),
  ];

  return {
    route: (pattern) => duration.route(pattern),
    text: async () => `${await register.metrics()}\n${await fleet()}\n${duration.text()}`,
    contentType: register.contentType,
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

const breakerLabel = (name: string): string => (breakerNames.includes(name) ? name : 'other');

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
