import { describe, expect, it } from 'vitest';
import { policiesOf, policyFor } from '../../test/kit.ts';
import { type Instant, instant, later, minutes, seconds } from '../base/time.ts';
import type { Effect } from '../vocabulary/effect.ts';
import { NO_STALLS } from '../vocabulary/stall.ts';
import { budgetDefaults, fullBudget } from './budget.ts';
import {
  foldClaim,
  foldLook,
  foldReceipt,
  foldSilence,
  foldStart,
  type Link,
  type LinkContext,
  type LinkStep,
} from './link.ts';
import type { LinkLook } from './server-look.ts';

const policy = policyFor(policiesOf(), 'chain', 'server', 'chain');
const TICK = minutes(3);

/** A server, and the daemon that looks at it. */
class Town {
  at: Instant = instant(1_000_000_000);
  link: Link = { agent: null, look: null, budget: fullBudget };
  pid = 100;
  tick: number | null = 0;
  cpuMs = 0;
  state: LinkLook['state'] = 'running';
  isHeld = false;
  readonly events: string[] = [];
  readonly said: string[] = [];
  pending: Effect[] = [];

  get context(): LinkContext {
    const { at, isHeld } = this;
    return {
      name: 'server',
      at,
      isHeld,
      isDown: false,
      stalls: NO_STALLS,
      policy,
      limits: budgetDefaults,
      gap: { msMin: seconds(90), msMax: minutes(5) },
    };
  }

  get health(): string {
    return this.link.agent?.hard.health ?? 'none';
  }

  get step(): string | null {
    const incident = this.link.agent?.hard.incident;
    return incident ? `${incident.step} ${incident.attempt} ${incident.phase}` : null;
  }

  private take({ link, events, effects, says }: LinkStep): void {
    this.link = link;
    this.events.push(...events.map(({ type }) => type).filter((type) => type !== 'AGENT_HEARTBEAT'));
    this.pending.push(...effects);
    if (says) this.said.push(says);
  }

  look(wait: number = TICK): void {
    this.at = later(this.at, wait);
    if (this.state === 'running') {
      this.cpuMs += 360;
      if (this.tick !== null) this.tick = this.at;
    }
    const { at, pid, state, cpuMs, tick } = this;
    const isThere = state === 'running' || state === 'stopped';
    const look = { at, process: `b.${pid}`, state, cpuMs, tick: state === 'running' ? tick : null };
    this.take(foldLook(this.link, isThere ? look : { ...look, cpuMs: null }, this.context));
  }

  claim(kind: 'terminate' | 'spawn'): boolean {
    const index = this.pending.findIndex((effect) => effect.kind === kind);
    const effect = this.pending[index];
    if (!effect) return false;
    const step = foldClaim(this.link, effect, 'key', this.context);
    this.take(step);
    if (step.claim === 'proceed') this.pending.splice(index, 1);
    if (step.claim === 'proceed' && kind === 'terminate') {
      this.state = 'gone';
      this.take(foldReceipt(this.link, effect, { outcome: 'done', detail: 'by SIGKILL' }, this.context));
    }
    if (step.claim === 'proceed' && kind === 'spawn') {
      this.pid += 1;
      this.state = 'running';
      this.take(foldStart(this.link, `b.${this.pid}`, this.context));
    }
    return step.claim === 'proceed';
  }
}

describe('a link that is well', () => {
  it('is registered when it is first seen, and left alone', () => {
    const town = new Town();
    for (let n = 0; n < 20; n++) town.look();
    expect(town.events).toEqual(['AGENT_REGISTERED']);
    expect(town.pending).toEqual([]);
    expect(town.link.agent?.hard).toMatchObject({ agentId: 'server', group: 'chain', health: 'HEALTHY' });
  });

  it('may be stopped on purpose, and comes back as the next incarnation', () => {
    const town = new Town();
    town.look();
    town.state = 'ended';
    town.look();
    expect([town.step, town.pending, town.link.budget]).toEqual([null, [], fullBudget]);
    town.state = 'running';
    town.pid = 101;
    town.look();
    expect(town.link.agent?.hard).toMatchObject({ incarnation: 2, health: 'HEALTHY' });
  });

  it('may be replaced by somebody else between two looks', () => {
    const town = new Town();
    town.look();
    town.pid = 101;
    town.look();
    expect([town.step, town.pending]).toEqual([null, []]);
    expect(town.link.agent?.hard.incarnation).toBe(2);
  });

  it('is not judged by a look that failed', () => {
    const town = new Town();
    town.look();
    town.state = 'unknown';
    for (let n = 0; n < 10; n++) town.look();
    expect([town.step, town.pending]).toEqual([null, []]);
  });
});

describe('a link that is frozen', () => {
  const frozen = () => {
    const town = new Town();
    town.look();
    town.look();
    town.state = 'stopped';
    return town;
  };

  it('is ended after two looks, with two kinds of evidence, and started again', () => {
    const town = frozen();
    town.look();
    // The look before the freeze was answered; its CPU time is known, so the second look is the next one.
    expect(town.pending.map(({ kind }) => kind)).toEqual(['terminate']);
    expect(town.link.agent?.hard.points.map(({ source }) => source)).toEqual([
      'agent-reports',
      'operating-system',
    ]);
    expect(town.events).not.toContain('ESCALATION_TRIGGERED');
    town.look(seconds(5));
    expect(town.claim('terminate')).toBe(true);
    town.look(0);
    expect(town.link.agent?.hard.end).toMatchObject({ byHolter: true });
    expect(town.claim('spawn')).toBe(true);
    town.look();
    expect(town.link.agent?.hard).toMatchObject({ incarnation: 2 });
    for (let n = 0; n < 10; n++) town.look();
    expect([town.health, town.step]).toEqual(['HEALTHY', null]);
    expect(town.events).toContain('RECOVERY_COMPLETED');
    expect(town.link.budget.crashedAt).toEqual([]);
  });

  it('that goes on before it is ended is left alone', () => {
    const town = frozen();
    town.look();
    town.state = 'running';
    town.look(seconds(5));
    expect(town.claim('terminate')).toBe(false);
    for (let n = 0; n < 10; n++) town.look();
    expect([town.health, town.step]).toEqual(['HEALTHY', null]);
  });

  it('is ended although all links are looked at often, because another one is being started', () => {
    const town = frozen();
    for (let n = 0; n < 4; n++) town.look(seconds(30));
    expect(town.pending.map(({ kind }) => kind)).toEqual(['terminate']);
  });

  it('that uses CPU time, but does not answer, is told of after five looks, and never ended', () => {
    const town = new Town();
    town.look();
    town.tick = null;
    for (let n = 0; n < 4; n++) town.look();
    expect([town.step, town.pending]).toEqual([null, []]);
    town.look();
    expect(town.pending.map(({ kind }) => kind)).toContain('notify');
    for (let n = 0; n < 100; n++) town.look();
    expect(town.pending.map(({ kind }) => kind)).not.toContain('terminate');
    expect(town.link.agent?.hard.points).toMatchObject([
      { evidence: 'it has not answered at 5 looks, for 12 min, but uses CPU time: it is left alone' },
    ]);
    town.tick = 0;
    for (let n = 0; n < 5; n++) town.look();
    expect([town.health, town.step]).toEqual(['HEALTHY', null]);
  });

  it('is told of although some looks come too soon to count', () => {
    const town = new Town();
    town.look();
    town.tick = null;
    for (let n = 0; n < 5; n++) {
      town.look(seconds(200));
      town.look(seconds(120));
    }
    expect(town.pending.map(({ kind }) => kind)).toContain('notify');
  });

  it('is not told of because of many looks within a minute, or of looks before a gap', () => {
    const town = new Town();
    town.look();
    town.tick = null;
    for (let n = 0; n < 12; n++) town.look(seconds(5));
    for (let n = 0; n < 3; n++) town.look();
    town.look(minutes(6));
    for (let n = 0; n < 3; n++) town.look();
    expect([town.step, town.pending]).toEqual([null, []]);
  });

  it('is not ended by looks that are too far apart', () => {
    const town = frozen();
    for (let n = 0; n < 5; n++) town.look(minutes(6));
    expect(town.pending).toEqual([]);
    town.look();
    expect(town.pending.map(({ kind }) => kind)).toEqual(['terminate']);
  });
});

describe('a link that crashes', () => {
  const crash = (town: Town, wait: number = seconds(30)) => {
    town.state = 'gone';
    town.look(wait);
  };

  it('is started at once, and closes its incident when it has stayed up', () => {
    const town = new Town();
    town.look();
    crash(town);
    expect(town.step).toBe('recover 1 acting');
    expect(town.claim('spawn')).toBe(true);
    for (let n = 0; n < 6; n++) town.look();
    expect([town.health, town.step]).toEqual(['HEALTHY', null]);
  });

  it('again and again is latched, told once, probed, and cleared when it stays up', () => {
    const town = new Town();
    town.look();
    let starts = 0;
    for (let n = 0; n < 40; n++) {
      crash(town);
      starts += Number(town.claim('spawn'));
    }
    expect([starts, town.said]).toEqual([4, ['latched']]);
    const stays = () => {
      for (let n = 0; n < 12 && !town.claim('spawn'); n++) town.look();
    };
    stays();
    crash(town);
    stays();
    expect(town.said).toEqual(['latched']);
    for (let n = 0; n < 8; n++) town.look();
    expect([town.health, town.step, town.said]).toEqual(['HEALTHY', null, ['latched', 'cleared']]);
  });

  it('is started as well if it was never seen to run', () => {
    const town = new Town();
    town.state = 'gone';
    town.look();
    expect(town.claim('spawn')).toBe(true);
    town.look();
    expect(town.link.agent?.hard.incarnation).toBe(2);
  });

  it('waits for its next start no longer than its budget says, however long ago it ended', () => {
    const town = new Town();
    town.look();
    town.isHeld = true;
    crash(town);
    for (let n = 0; n < 24; n++) town.look();
    town.isHeld = false;
    for (let n = 0; n < 4 && town.pending.length === 0; n++) town.look();
    // The daemon is killed between the claim and the start.
    const [effect] = town.pending.splice(0);
    if (effect) town.link = foldClaim(town.link, effect, 'key', town.context).link;
    let isStarted = false;
    for (let n = 0; n < 5 && !isStarted; n++) {
      town.look();
      isStarted = town.claim('spawn');
    }
    expect(isStarted).toBe(true);
  });

  it('right after a person has started it is started again, though nobody has seen that start', () => {
    const town = new Town();
    town.look();
    town.state = 'ended';
    town.look();
    crash(town);
    expect(town.claim('spawn')).toBe(true);
    town.look();
    expect(town.link.agent?.hard).toMatchObject({ incarnation: 3, health: 'HEALTHY' });
  });

  it('counts a start that fails as a crash', () => {
    const town = new Town();
    town.look();
    town.state = 'gone';
    for (let n = 0; n < 60; n++) {
      town.look(seconds(30));
      const effect = town.pending.shift();
      if (effect?.kind !== 'spawn') continue;
      const claimed = foldClaim(town.link, effect, 'key', town.context);
      const refused = { outcome: 'refused', detail: 'exit code 1' } as const;
      const after = foldReceipt(claimed.link, effect, refused, town.context);
      town.link = after.link;
      if (after.says) town.said.push(after.says);
      town.pending.push(...after.effects);
    }
    expect(town.said).toEqual(['latched']);
  });
});

describe('a link that Holter must not touch', () => {
  it('is not ended when the second look fails', () => {
    const town = new Town();
    town.look();
    town.state = 'stopped';
    for (let n = 0; n < 6 && !town.pending.some(({ kind }) => kind === 'terminate'); n++) town.look();
    town.state = 'unknown';
    town.look(seconds(5));
    expect([town.pending.length > 0, town.claim('terminate')]).toEqual([true, false]);
  });

  it('is not started before its usage limit resets, also if that becomes known late', () => {
    const town = new Town();
    town.look();
    town.state = 'gone';
    town.look();
    const known = town.link;
    const notBefore = later(town.at, minutes(1));
    const look = { at: town.at, process: 'b.100', state: 'ended', cpuMs: null, tick: null } as const;
    town.link = foldLook(known, { ...look, notBefore }, town.context).link;
    town.link = foldLook(town.link, { ...look, state: 'unknown' }, town.context).link;
    expect(town.claim('spawn')).toBe(false);
    town.at = notBefore;
    expect(town.claim('spawn')).toBe(true);
  });

  it('is found frozen, but not ended until that is over', () => {
    const town = new Town();
    town.look();
    town.isHeld = true;
    town.state = 'stopped';
    for (let n = 0; n < 20; n++) town.look();
    expect([town.health, town.step, town.pending]).toEqual(['FAILING', 'terminate 1 due', []]);
    expect(town.said).toEqual(['unheard']);
    town.isHeld = false;
    town.look();
    expect(town.claim('terminate')).toBe(true);
  });

  it('is not started until that is over', () => {
    const town = new Town();
    town.look();
    town.isHeld = true;
    town.state = 'gone';
    for (let n = 0; n < 20; n++) town.look();
    expect([town.step, town.pending]).toEqual(['recover 1 due', []]);
    expect(town.said).toEqual(['unheard']);
    town.isHeld = false;
    town.look();
    expect(town.claim('spawn')).toBe(true);
    town.look();
    expect(town.said).toEqual(['unheard', 'heard']);
  });
});

describe('a link that only people can judge', () => {
  it('is told of if it does not answer, and was never seen to', () => {
    const town = new Town();
    town.state = 'unknown';
    for (let n = 0; n < 20; n++) town.look();
    expect([town.said, town.pending]).toEqual([['unheard'], []]);
    town.state = 'running';
    town.look();
    expect(town.said).toEqual(['unheard', 'heard']);
  });

  it('is told of, and not touched', () => {
    const town = new Town();
    town.look();
    const silence = { since: town.at, reported: 'its heartbeat is 40 min old' };
    const { effects } = foldSilence(town.link, silence, town.context);
    expect(effects.map(({ kind }) => kind)).toEqual(['notify', 'remind']);
  });

  it('is started like any other if it ends after that', () => {
    const town = new Town();
    town.look();
    const silence = { since: town.at, reported: 'its heartbeat is 40 min old' };
    const told = (): void => {
      town.link = foldSilence(town.link, silence, town.context).link;
    };
    for (let n = 0; n < 12 && !town.step?.startsWith('human'); n++) {
      told();
      town.tick = null;
      town.look();
    }
    expect(town.step).toBe('human 1 waiting');
    town.state = 'gone';
    town.look();
    expect(town.claim('spawn')).toBe(true);
  });
});
