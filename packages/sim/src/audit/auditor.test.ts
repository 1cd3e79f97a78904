import { type Effect, type EventBody, type FindingKind, type HolterEvent, instant } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { Auditor } from './auditor.ts';
import type { Execution } from './violation.ts';

const MINUTE = 60_000;
const CROWD = ['ada', 'bob', 'cal', 'dan', 'eve', 'fay'];

/** A log that is written line by line, and an audit that reads along. */
class Books {
  readonly said: string[] = [];
  readonly audit = new Auditor((invariant, _agentId, _at, what) => this.said.push(`${invariant}: ${what}`), {
    profileOf: () => ({
      group: 'g0',
      intervalMs: MINUTE,
      tellsTime: true,
      isWatched: true,
      canBeStopped: true,
      isStoppedAtLimit: false,
      decidedBy: this.decidedBy,
    }),
    isExact: false,
  });
  at = 0;
  private cursor = 0;
  private readonly decidedBy: 'people' | 'readers' | 'time';

  constructor(decidedBy: 'people' | 'readers' | 'time' = 'time') {
    this.decidedBy = decidedBy;
  }

  write(agentId: string, body: EventBody, incarnation = 1, folded?: number): this {
    this.cursor += 1;
    const count = folded === undefined ? {} : { folded };
    const event = { at: instant(this.at), incarnation, ...body, ...count } as HolterEvent;
    this.audit.read({ cursor: this.cursor, at: this.at, agentId, event });
    this.audit.caughtUp();
    return this;
  }

  step(step: 'nudge' | 'terminate' | 'escalate' | 'human', attempt = 1): this {
    const payload = { agentId: 'ada', incidentId: 'ada/1', step, attempt, reason: '' };
    return this.write('ada', { type: 'INCIDENT_STEP', payload });
  }

  register(incarnation = 1, agentId = 'ada'): this {
    const payload = { agentId, role: 'default', group: 'g0' };
    return this.write(agentId, { type: 'AGENT_REGISTERED', payload }, incarnation);
  }

  lose(agentId: string): this {
    const payload = { agentId, from: 'alive', to: 'gone', cause: 'process-crash' } as const;
    return this.write(agentId, { type: 'LIVENESS_CHANGED', payload });
  }

  find(kind: FindingKind): this {
    const payload = {
      agentId: 'ada',
      kind,
      severity: 'act',
      evidence: '',
      threshold: '',
      lateMs: 0,
    } as const;
    return this.write('ada', { type: 'FINDING_RAISED', payload });
  }

  recover(attempt: number): this {
    const payload = { agentId: 'ada', taskId: 't1', fromCheckpoint: 'k', attempt };
    return this.write('ada', { type: 'RECOVERY_INITIATED', payload });
  }

  open(): this {
    const payload = { agentId: 'ada', incidentId: 'ada/1', cause: 'silent', step: 'nudge' } as const;
    return this.write('ada', { type: 'INCIDENT_OPENED', payload });
  }

  /** Opened, at escalate, and the notice is out. */
  escalate(): this {
    const payload = { agentId: 'ada', reason: '', incidentId: 'ada/1' };
    return this.open().step('escalate').write('ada', { type: 'ESCALATION_TRIGGERED', payload });
  }

  readNotice(outcome: 'posted' | 'delivered'): this {
    const effectId = 'ada/1/escalate/1';
    const payload = { agentId: 'ada', effectId, effect: 'notify', outcome, detail: '' } as const;
    return this.write('ada', { type: 'EFFECT_RECEIPT', payload });
  }

  execution(fields: Partial<Execution>): Execution {
    const execution: Execution = {
      effectId: 'ada/1/terminate/1',
      kind: 'terminate',
      agentId: 'ada',
      incarnation: 1,
      by: 1,
      from: this.at,
      to: Number.NaN,
      cursor: this.cursor,
      ...fields,
    };
    this.audit.begun(execution);
    this.audit.caughtUp();
    return execution;
  }
}

describe('the audit complains about', () => {
  test('a ladder that goes back, and a step that is decided twice', () => {
    const books = new Books().open().step('escalate').step('nudge').step('nudge');
    expect(books.said).toEqual(['3: from escalate 1 back to nudge 1', '3: ada/1 nudge 1 was decided twice']);
  });

  test('a ladder that stands still after its time, unless somebody has to read the notice first', () => {
    for (const [decidedBy, said] of [
      ['time', ['3: nobody decided, and its ladder does not go on']],
      ['readers', []],
      ['people', []],
    ] as const) {
      const books = new Books(decidedBy).find('silent').escalate();
      books.audit.look(119 * MINUTE);
      expect(books.said).toEqual([]);
      books.audit.look(121 * MINUTE);
      expect(books.said).toEqual(said);
    }
  });

  test('a ladder that goes on before the notice was read, where the operator wants that', () => {
    expect(new Books('readers').escalate().readNotice('delivered').step('human').said).toEqual([]);
    expect(new Books('readers').escalate().readNotice('posted').step('human').said).toEqual([
      '3: its ladder goes on by itself, unread, and people decide',
    ]);
    expect(new Books('people').escalate().readNotice('delivered').step('human').said).toEqual([
      '3: its ladder goes on by itself, and people decide',
    ]);
  });

  test('two incidents at once', () => {
    expect(new Books().open().open().said).toEqual(['3: ada/1 opened beside ada/1']);
  });

  test('an execution that is not on record yet', () => {
    const books = new Books().open();
    books.execution({});
    expect(books.said).toEqual(['4: ada/1/terminate/1 was done before it was on record']);
  });

  test('an execution that is done twice at once, but not one that a dead server left', () => {
    const books = new Books().open().step('terminate');
    books.execution({});
    books.audit.serverDied(1, books.at);
    books.execution({ by: 2 });
    expect(books.said).toEqual([]);
    books.execution({ by: 3 });
    expect(books.said).toEqual(['4: ada/1/terminate/1 is done twice at once']);
  });

  test('the death of one that worked, unless a person ordered it', () => {
    const books = new Books().open();
    books.audit.truth.became('ada', 'fine', 0);
    books.at = 10 * MINUTE;
    books.audit.killed('ada', books.at, true);
    books.audit.caughtUp();
    expect(books.said).toEqual(['1: it worked, and was killed']);
    const payload = { agentId: 'ada', incidentId: 'ada/1', decision: 'terminate', by: 'op', reason: '' };
    books.write('ada', { type: 'DECISION_MADE', payload });
    books.audit.killed('ada', books.at, true);
    books.audit.caughtUp();
    expect(books.said).toHaveLength(1);
  });

  test('the death of one on a hold that it declared, unless its word was spent on an open incident', () => {
    const deathAfter = (minutes: number, hold: 'rate-limited' | 'waiting-for-permission') => {
      const books = new Books().open();
      books.audit.truth.became('ada', 'fine', 0);
      books.write('ada', { type: 'HOLD_BEGAN', payload: { agentId: 'ada', hold } });
      books.at += minutes * MINUTE;
      books.audit.killed('ada', books.at, true);
      books.audit.caughtUp();
      return books.said;
    };
    expect(deathAfter(44, 'rate-limited')).toEqual(['1: it worked, and was killed']);
    expect(deathAfter(46, 'rate-limited')).toEqual([]);
    expect(deathAfter(46, 'waiting-for-permission')).toEqual(['1: it worked, and was killed']);
  });

  test('a stranger that was hit', () => {
    const books = new Books();
    books.audit.killed('ada', 0, false);
    books.audit.caughtUp();
    expect(books.said).toEqual(['1: the kill hit a stranger that has its pid now']);
  });

  test('what was acknowledged and is on record twice, or never', () => {
    const books = new Books();
    const blocker: EventBody = { type: 'BLOCKER_REPORTED', payload: { agentId: 'ada', text: 'r1' } };
    books.write('ada', blocker).write('ada', blocker);
    books.audit.records.heard('r1', 'ada', 0);
    books.audit.records.heard('r2', 'ada', 0);
    books.audit.finish(0);
    expect(books.said).toEqual([
      '4: r1 was acknowledged and is on record 2 times',
      '4: r2 was acknowledged and is on record 0 times',
    ]);
  });

  test('a report that no row of a flood stands for', () => {
    const books = new Books();
    books.write('ada', { type: 'BLOCKER_REPORTED', payload: { agentId: 'ada', text: 'r3' } }, 1, 1);
    for (const report of ['r1', 'r2', 'r3']) books.audit.records.heard(report, 'ada', 0);
    books.audit.records.heard('r4', 'ada', 600_000);
    books.audit.serverDied(1, 660_000);
    books.audit.finish(700_000);
    expect(books.said).toEqual(['4: r2 was acknowledged and is on record 0 times']);
  });

  test('a word of a start that was followed by another', () => {
    const books = new Books().register(1).register(2);
    books.write('ada', { type: 'CHECKPOINT_WRITTEN', payload: { agentId: 'ada', checkpointId: 'k' } }, 1);
    expect(books.said).toEqual(['5: CHECKPOINT_WRITTEN of start 1 after start 2']);
  });

  test('a fourth recovery of one task, and one before its backoff is over', () => {
    const books = new Books();
    for (let attempt = 1; attempt <= 4; attempt++) {
      books.lose('ada');
      books.at += attempt === 2 ? MINUTE : 4 * MINUTE;
      books.recover(attempt);
    }
    expect(books.said).toEqual(['8: recovery 2 after 60 s; the backoff is 120 s', '8: recovery 4 for t1']);
  });

  test('a successor of an agent that is not gone', () => {
    expect(new Books().register().recover(1).said).toContain('6: a successor is started while it is alive');
  });

  test('a trouble that starts at the bottom again after a short pause', () => {
    const books = new Books().open().step('nudge').step('escalate');
    const closed = { agentId: 'ada', incidentId: 'ada/1', reason: '', tokens: 0, costUsd: 0 };
    books.write('ada', { type: 'INCIDENT_CLOSED', payload: closed });
    books.at = 5 * MINUTE;
    books.open();
    expect(books.said).toEqual(['3: silent starts at the bottom again 5 min after it was at escalate']);
  });

  test('a termination for which only one source speaks', () => {
    const terminate = { kind: 'terminate', id: 'ada/1/terminate/1', agentId: 'ada' } as Effect;
    const books = new Books().open().find('silent');
    books.audit.ordered(terminate, 0, 0);
    expect(books.said).toEqual(['6: ordered to stop: nothing but silence speaks for it']);
    books.find('frozen').audit.ordered(terminate, 0, 0);
    expect(books.said).toHaveLength(1);
  });

  test('a death that nobody noticed, counting only the time in which somebody looked', () => {
    const books = new Books().register();
    books.audit.truth.became('ada', 'dead', 0);
    books.audit.truth.became('nobody', 'dead', 0);
    books.audit.truth.watched(false, 0);
    books.audit.look(60 * MINUTE);
    books.audit.truth.watched(true, 60 * MINUTE);
    books.audit.look(65 * MINUTE);
    expect(books.said).toEqual([]);
    books.audit.look(75 * MINUTE);
    expect(books.said).toEqual(['2: dead for 75 min, and not noticed']);
  });

  test('one who is well in the end and is called failing', () => {
    const books = new Books();
    books.audit.truth.became('ada', 'fine', 0);
    const change = { agentId: 'ada', from: 'HEALTHY', to: 'FAILING', reason: '', evidence: '' } as const;
    books.write('ada', { type: 'HEALTH_STATE_CHANGED', payload: change });
    books.audit.finish(120 * MINUTE);
    expect(books.said).toEqual(['9: fine for an hour and called FAILING, alive']);
  });

  test('not one that a person has given up, until its name registers again', () => {
    const books = new Books().register();
    books.audit.truth.became('ada', 'fine', 0);
    const decision = { agentId: 'ada', incidentId: null, decision: 'replace', by: 'mo', reason: '' } as const;
    books.write('ada', { type: 'DECISION_MADE', payload: decision });
    const change = { agentId: 'ada', from: 'HEALTHY', to: 'TERMINATED', reason: '', evidence: '' } as const;
    books.write('ada', { type: 'HEALTH_STATE_CHANGED', payload: change });
    books.audit.look(120 * MINUTE);
    expect(books.said).toEqual([]);
    books.register(2).write('ada', { type: 'HEALTH_STATE_CHANGED', payload: change }, 2);
    books.audit.look(240 * MINUTE);
    expect(books.said).toEqual(['9: fine for an hour and called TERMINATED, alive']);
  });

  test('an agent that is down, was to be brought back, and is forgotten', () => {
    const books = new Books();
    books.audit.truth.became('ada', 'dead', 0);
    const change = { agentId: 'ada', from: 'HEALTHY', to: 'FAILING', reason: '', evidence: '' } as const;
    books.write('ada', { type: 'HEALTH_STATE_CHANGED', payload: change });
    const payload = { agentId: 'ada', incidentId: 'ada/1', cause: 'process-gone', step: 'recover' } as const;
    books.write('ada', { type: 'INCIDENT_OPENED', payload });
    books.audit.look(89 * MINUTE);
    expect(books.said).toEqual([]);
    books.audit.look(91 * MINUTE);
    expect(books.said).toEqual(['9: down for an hour and a half, and neither brought back nor given up']);
  });

  test('effects that wait although what they live by is over, and too many of them', () => {
    const books = new Books().register().open();
    const nudge = {
      kind: 'remind',
      message: '',
      id: 'ada/1/nudge/1',
      agentId: 'ada',
      incarnation: 1,
      executor: null,
      livesBy: 'incident:ada/1',
    } satisfies Effect;
    const look = (pending: readonly Effect[]): void => {
      for (const _look of [1, 2])
        books.audit.pending.look(
          pending.map((effect) => ({ effect, tries: 3 })),
          books.at,
        );
    };
    look([nudge]);
    expect(books.said).toEqual([]);
    look(Array.from({ length: 13 }, () => nudge));
    expect(books.said).toEqual(Array(2).fill('13: 13 effects wait; 12 are explained'));
    const closed = { agentId: 'ada', incidentId: 'ada/1', reason: '', tokens: 0, costUsd: 0 };
    look([nudge]);
    books.write('ada', { type: 'INCIDENT_CLOSED', payload: closed }).said.length = 0;
    look([nudge]);
    expect(books.said).toEqual(['13: ada/1/nudge/1 still waits, though incident:ada/1 is over']);
  });

  test('a crowd that was lost without an alert, and a kill while the brake is on', () => {
    const books = new Books();
    for (const agentId of CROWD) books.register(1, agentId);
    for (const agentId of CROWD.slice(0, 5)) books.lose(agentId);
    books.audit.finish(0);
    expect(books.said).toEqual(['7: 5 of 6 lost at once, and no alert']);
    books.write('fleet:g0', { type: 'MASS_FAILURE', payload: { group: 'g0', lost: 5, size: 6 } });
    books.open().step('terminate');
    books.at = 5 * MINUTE;
    books.execution({});
    expect(books.said.at(-1)).toBe('7: terminated while g0 is braked');
  });

  test('nothing, when one of a crowd was being stopped anyway and the rest are none', () => {
    const books = new Books();
    const incident = { agentId: 'dan', incidentId: 'dan/1', cause: 'operator', step: 'terminate' } as const;
    books.write('dan', { type: 'INCIDENT_OPENED', payload: incident });
    for (const agentId of CROWD) books.register(1, agentId);
    for (const agentId of ['ada', 'bob', 'cal', 'dan']) books.lose(agentId);
    books.audit.finish(0);
    expect(books.said).toEqual([]);
  });
});
