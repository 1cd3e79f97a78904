import { describe, expect, test } from 'vitest';
import { BEHAVIOURS } from '../agents/mix.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { defaultScenario } from '../base/scenario.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';
import { Simulation } from './simulation.ts';

/** What could be seen of some agents of one kind in one day. */
class Diary implements Witness {
  readonly counts = new Map<string, number>();
  longestToolMs = 0;
  longestQuietMs = 0;
  private readonly begunAt = new Map<number, number>();
  private readonly calledAt = new Map<number, number>();
  private readonly taskAt = new Map<number, number>();
  longestStartMs = 0;

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  delivering({ slot }: SimAgent, at: number, { signal }: Packet): void {
    this.count(signal.kind === 'hold-begun' ? `hold ${signal.hold}` : signal.kind);
    if (signal.kind === 'task-assigned') this.taskAt.set(slot, at);
    if (signal.kind === 'call-begun') {
      this.begunAt.set(slot, at);
      const task = this.taskAt.get(slot);
      if (task !== undefined) this.longestStartMs = Math.max(this.longestStartMs, at - task);
      this.taskAt.delete(slot);
      const called = this.calledAt.get(slot);
      if (called !== undefined && task === undefined)
        this.longestQuietMs = Math.max(this.longestQuietMs, at - called);
    }
    if (signal.kind === 'call-ended') {
      this.calledAt.set(slot, at);
      this.longestToolMs = Math.max(this.longestToolMs, at - (this.begunAt.get(slot) ?? at));
    }
  }

  truthChanged(agent: SimAgent): void {
    this.count(`truth ${agent.truth}`);
    if (agent.partition !== 'none') this.count(`cut ${agent.partition}`);
  }

  enrolled(
    agent: SimAgent,
    _at: number,
    ...[{ spawnKey, instanceId }, result]: Tail<Parameters<Witness['enrolled']>>
  ): void {
    if (result.kind === 'enrolled' && !instanceId.startsWith(`${agent.name}-`))
      this.count('under another name');
    this.count(result.kind === 'refused' ? 'refused' : spawnKey !== undefined ? 'successor' : 'registered');
  }

  claimed(
    _agent: SimAgent,
    _at: number,
    ...[effect, isProceeding]: Tail<Parameters<Witness['claimed']>>
  ): void {
    this.count(`${effect.kind} ${isProceeding ? 'done' : 'called off'}`);
  }

  folded(_agent: SimAgent, _at: number, ...[, result]: Tail<Parameters<Witness['folded']>>): void {
    for (const event of result.events) this.count(event.type);
  }

  deciding(): void {}
  stalled(): void {}
  inspect(): void {}
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, unknown, ...infer Rest] ? Rest : never;

const MINUTE = 60_000;

/** One line per behaviour: what twenty of them must show in a hasty day. */
const shows: Readonly<Record<string, (diary: Diary) => void>> = {
  // What they do together is in `siege.test.ts`.
  braker: (diary) => expect(diary.of('AGENT_RETURNED')).toBeGreaterThan(50),
  'steady-worker': (diary) => {
    expect(diary.of('call-ended')).toBeGreaterThan(2_000);
    expect(diary.of('checkpoint')).toBeGreaterThan(100);
    expect(diary.of('truth stuck') + diary.of('truth dead')).toBe(0);
  },
  'bursty-thinker': (diary) => {
    expect(diary.longestQuietMs).toBeGreaterThan(10 * MINUTE);
    expect(diary.of('truth stuck')).toBe(0);
  },
  idle: (diary) => {
    expect(diary.of('heartbeat')).toBeGreaterThan(20 * diary.of('task-assigned'));
    expect(diary.of('nudge done')).toBe(0);
  },
  'waiting-for-input': (diary) => expect(diary.of('hold waiting-for-input')).toBeGreaterThan(50),
  'rate-limited': (diary) => expect(diary.of('hold rate-limited')).toBeGreaterThan(20),
  'slow-starter': (diary) => expect(diary.longestStartMs).toBeGreaterThan(4 * MINUTE),
  'long-tool': (diary) => expect(diary.longestToolMs).toBeGreaterThan(30 * MINUTE),
  crasher: (diary) => {
    expect(diary.of('truth dead')).toBeGreaterThan(10);
    expect(diary.of('successor')).toBeGreaterThan(5);
  },
  freezer: (diary) => expect(diary.of('LIVENESS_CHANGED')).toBeGreaterThan(10),
  partitioned: (diary) => {
    for (const cut of ['both', 'words', 'answers']) expect(diary.of(`cut ${cut}`)).toBeGreaterThan(0);
    expect(diary.of('AGENT_RETURNED')).toBeGreaterThan(5);
    expect(diary.of('terminate done')).toBe(0);
  },
  looper: (diary) => {
    expect(diary.of('finding')).toBe(0);
    expect(diary.of('FINDING_RAISED')).toBeGreaterThan(50);
    expect(diary.of('FINDING_CLEARED')).toBeGreaterThan(20);
  },
  'pausing-looper': (diary) => expect(diary.of('INCIDENT_REOPENED')).toBeGreaterThan(5),
  'last-minute': (diary) => {
    expect(diary.of('terminate called off')).toBeGreaterThan(0);
  },
  'error-spiral': (diary) => {
    expect(diary.of('error')).toBeGreaterThan(100);
    expect(diary.of('FINDING_RAISED')).toBeGreaterThan(20);
  },
  zombie: (diary) => {
    expect(diary.of('truth stuck')).toBeGreaterThan(10);
    expect(diary.of('nudge done')).toBeGreaterThan(10);
  },
  'cured-by-nudge': (diary) => {
    expect(diary.of('nudge done')).toBeGreaterThan(10);
    expect(diary.of('terminate done')).toBeLessThan(diary.of('nudge done'));
  },
  deaf: (diary) => expect(diary.of('terminate done')).toBeGreaterThan(3),
  relapser: (diary) => {
    expect(diary.of('RECOVERY_FAILED')).toBeGreaterThan(5);
    expect(diary.of('successor')).toBeGreaterThan(10);
  },
  'corrupt-checkpoint': (diary) => expect(diary.of('RECOVERY_INITIATED')).toBeGreaterThan(10),
  'self-restarter': (diary) => {
    expect(diary.of('registered')).toBeGreaterThan(40);
    expect(diary.of('successor')).toBe(0);
  },
  'two-with-one-name': (diary) => {
    expect(diary.of('refused')).toBeGreaterThan(10);
    expect(diary.of('SIGNAL_REJECTED')).toBeGreaterThan(10);
  },
  swapper: (diary) => {
    expect(diary.of('under another name')).toBeGreaterThan(30);
    expect(diary.of('refused')).toBeGreaterThan(30);
  },
  'breaker-caller': (diary) => {
    expect(diary.of('CIRCUIT_BREAKER_STATE_CHANGED')).toBeGreaterThan(100);
    expect(diary.of('DECISION_MADE')).toBeGreaterThan(5);
    expect(diary.of('terminate done')).toBe(0);
  },
  spender: (diary) => {
    expect(diary.of('truth stuck')).toBeGreaterThan(10);
    expect(diary.of('INCIDENT_OPENED')).toBeGreaterThan(10);
    // Half of them are stopped for good, as their operator has said; for the others people are asked.
    expect(diary.of('terminate done')).toBeGreaterThan(5);
    expect(diary.of('ESCALATION_TRIGGERED')).toBeGreaterThan(5);
  },
  'odd-one': (diary) => {
    expect(diary.of('said') + diary.of('compaction') + diary.of('tokens')).toBeGreaterThan(200);
    expect(diary.of('FINDING_RAISED')).toBeGreaterThan(100);
    expect(diary.of('terminate done')).toBe(0);
  },
  visited: (diary) => {
    expect(diary.of('DECISION_MADE')).toBeGreaterThan(20);
    expect(diary.of('DECISION_REJECTED')).toBeGreaterThan(5);
    expect(diary.of('nudge done')).toBeGreaterThan(0);
    expect(diary.of('terminate done')).toBeGreaterThan(0);
  },
  flooder: (diary) => {
    expect(diary.of('call-ended')).toBeGreaterThan(10_000);
    expect(diary.of('truth stuck')).toBe(0);
    expect(diary.of('INCIDENT_OPENED')).toBe(0);
  },
  replayer: (diary) => {
    expect(diary.of('SIGNAL_REJECTED')).toBeGreaterThan(200);
    expect(diary.of('INCIDENT_STEP')).toBe(0);
  },
  'quiet-command': (diary) => {
    expect(diary.of('heartbeat') + diary.of('call-begun')).toBe(0);
    expect(diary.of('exited')).toBeGreaterThan(10);
    expect(diary.of('terminate done')).toBe(0);
  },
  'checkpoint-faker': (diary) => {
    expect(diary.of('truth dead')).toBeGreaterThan(50);
    expect(diary.of('successor')).toBeGreaterThan(50);
  },
  'says-stopped': (diary) => {
    expect(diary.of('STOP_ANNOUNCED')).toBeGreaterThan(50);
    expect(diary.of('AGENT_ENDED')).toBe(0);
  },
  'late-reader': (diary) => {
    expect(diary.of('ACK_OVERDUE')).toBeGreaterThan(50);
    expect(diary.of('INCIDENT_OPENED')).toBe(0);
    expect(diary.of('terminate done')).toBe(0);
  },
  'name-taker': (diary) => {
    expect(diary.of('refused')).toBeGreaterThan(50);
    expect(diary.of('registered')).toBe(20);
  },
  'hold-renewer': (diary) => {
    expect(diary.of('hold asleep')).toBeGreaterThan(50);
    expect(diary.of('terminate done')).toBeGreaterThan(5);
  },
  returner: (diary) => {
    expect(diary.of('stopped')).toBeGreaterThan(50);
    expect(diary.of('registered')).toBeGreaterThan(50);
    expect(diary.of('INCIDENT_REOPENED')).toBeGreaterThan(20);
  },
  'in-process': (diary) => {
    expect(diary.of('heartbeat')).toBeGreaterThan(15_000);
    expect(diary.of('LIVENESS_CHANGED')).toBeGreaterThan(4);
  },
};

describe('each behaviour does what it says', () => {
  for (const { name, tells } of BEHAVIOURS) {
    test(`${name}: ${tells}`, { timeout: 30_000 }, () => {
      const diary = new Diary();
      const isChatty = name === 'in-process';
      const scenario = {
        ...defaultScenario,
        agents: isChatty ? 2 : 20,
        hours: isChatty ? 8 : 10,
        haste: 2.5,
        faults: [],
        only: [name],
      };
      const simulation = new Simulation(scenario, { witnesses: [diary] });
      simulation.run(undefined, 1);
      expect(simulation.violations).toEqual([]);
      const show = shows[name];
      expect(show, `no test says what ${name} does`).toBeDefined();
      show?.(diary);
    });
  }
});
