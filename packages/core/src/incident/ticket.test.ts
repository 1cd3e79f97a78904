import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { ticketOf } from '../../test/ticket.ts';
import { hours, minutes } from '../base/time.ts';
import type { Mode } from '../record/agent.ts';
import type { Registration } from '../transition/enroll.ts';
import type { Transition } from '../transition/transition.ts';
import type { EscalationTicket, TicketAct, TicketAnswer, TicketTriage } from '../vocabulary/ticket.ts';

const intervene: TicketTriage = { outcome: 'intervene', analysis: 'it is high', by: 'rules' };
const dismiss: TicketTriage = { outcome: 'dismiss', analysis: 'it has passed', by: 'rules' };

const act = (bench: Bench, given: TicketAct): Transition => bench.feed({ kind: 'ticket', act: given });

let count = 0;
function emit(
  bench: Bench,
  triage: TicketTriage = intervene,
  ticket: Partial<EscalationTicket> = {},
): Transition {
  count += 1;
  const whole = ticketOf({ ticket_id: `t${count}`, ...ticket });
  return act(bench, { kind: 'emit', ticket: whole, condition: 'no-accept', cooldownMs: minutes(30), triage });
}

const answer = (bench: Bench, ticketId: string, given: TicketAnswer): Transition =>
  act(bench, {
    kind: 'answer',
    ticketId,
    answer: given,
    by: 'alice',
    reason: 'it works',
    cooldownMs: minutes(30),
  });

const types = ({ events }: Transition): string[] => events.map(({ type }) => type);
const stepOf = (bench: Bench): string | undefined => bench.agent.hard.incident?.step;
const statuses = (bench: Bench) => (bench.agent.hard.tickets ?? []).map(({ status }) => status);

/** A loop of five equal calls, as a rule reports it. */
function loop(bench: Bench): void {
  const finding = { kind: 'repeated-call', severity: 'act', source: 'agent-reports', count: 5 } as const;
  const words = { since: bench.at, evidence: 'the same call 5 times', threshold: '5 calls' };
  bench.signal({ kind: 'finding', finding: { ...finding, ...words } }, 'holter');
}

function frozen(bench: Bench): void {
  const finding = { kind: 'frozen', severity: 'act', source: 'operating-system' } as const;
  const words = { since: bench.at, evidence: 'still', threshold: 'any' };
  bench.signal({ kind: 'finding', finding: { ...finding, ...words } }, 'holter');
}

describe('a ticket by itself', () => {
  test.each<Mode>(['observe', 'nudge', 'act'])('asks a person, and nothing else, in mode %s', (mode) => {
    const bench = new Bench({ mode });
    const first = emit(bench);
    expect(types(first)).toEqual([
      'WORKER_ESCALATION_TICKET',
      'QUEEN_INTERVENTION_REQUESTED',
      'FINDING_RAISED',
      'HEALTH_STATE_CHANGED',
      'INCIDENT_OPENED',
      'ESCALATION_TRIGGERED',
    ]);
    expect(first.effects.map(({ kind }) => kind)).toEqual(['notify']);
    const [notice] = first.effects;
    bench.feed({ kind: 'receipt', effect: notice as never, outcome: 'seen', detail: '' });
    const turns = Array.from({ length: 48 }, () => bench.advance(hours(1))).flat();
    const kinds = new Set(turns.flatMap(({ effects }) => effects.map(({ kind }) => kind)));
    expect([...kinds]).toEqual(mode === 'act' ? ['notify'] : []);
    expect(stepOf(bench)).toBe(mode === 'act' ? 'human' : 'escalate');
    expect(bench.agent.hard.health).toBe('DEGRADED');
  });

  test('that is dismissed disturbs nobody, and stays on record', () => {
    const bench = new Bench();
    const first = emit(bench, dismiss);
    expect(types(first)).toEqual(['WORKER_ESCALATION_TICKET', 'TICKET_CHANGED']);
    expect([stepOf(bench), statuses(bench)]).toEqual([undefined, ['dismissed']]);
  });

  test('closes its incident when its condition is over', () => {
    const bench = new Bench();
    emit(bench);
    act(bench, { kind: 'resolve', condition: 'no-accept', reason: 'a step was accepted' });
    bench.advance(hours(1));
    expect([bench.agent.hard.incident, statuses(bench)]).toEqual([undefined, ['resolved']]);
  });

  test('that nobody has triaged waits', () => {
    const bench = new Bench();
    const ticket = ticketOf({ ticket_id: 'new' });
    act(bench, { kind: 'emit', ticket, condition: 'stall', cooldownMs: 0 });
    expect(stepOf(bench)).toBeUndefined();
    expect(types(act(bench, { kind: 'triage', ticketId: 'new', triage: intervene }))).toContain(
      'INCIDENT_OPENED',
    );
    const again = act(bench, { kind: 'triage', ticketId: 'new', triage: dismiss });
    expect(again.rejection).toMatchObject({ code: 'ticket-unknown' });
  });

  test('that was dismissed may ask a person after all, once', () => {
    const bench = new Bench();
    const ticket = ticketOf({ ticket_id: 'late' });
    act(bench, { kind: 'emit', ticket, condition: 'reported', cooldownMs: 0, triage: dismiss });
    expect(stepOf(bench)).toBeUndefined();
    const first = act(bench, { kind: 'triage', ticketId: 'late', triage: intervene });
    expect(types(first)).toContain('QUEEN_INTERVENTION_REQUESTED');
    const again = act(bench, { kind: 'triage', ticketId: 'late', triage: intervene });
    expect(again.rejection).toMatchObject({ code: 'ticket-unknown' });
  });

  test.each<[string, (bench: Bench) => unknown]>([
    ['agent', (bench) => bench.signal({ kind: 'stopped', reason: 'done' })],
    [
      'incarnation',
      (bench) => {
        bench.advance(minutes(2));
        expect(bench.register({ instanceId: 'ada-2', source: 'operator' })).toBe(true);
      },
    ],
  ])('ends with its %s', (_what, end) => {
    const bench = new Bench({ promises: { beatEveryMs: minutes(1) } });
    bench.signal({ kind: 'heartbeat' });
    emit(bench);
    end(bench);
    const { tickets, points, incident } = bench.agent.hard;
    expect([tickets, points, incident]).toEqual([undefined, [], undefined]);
  });

  test('of an ended agent is refused', () => {
    const bench = new Bench();
    bench.signal({ kind: 'stopped', reason: 'done' });
    expect(emit(bench).rejection).toMatchObject({ code: 'agent-ended' });
  });
});

describe('one ticket for each condition', () => {
  test('while one is open, there is no second, however bad it gets', () => {
    const bench = new Bench();
    emit(bench, intervene, { severity: 'medium' });
    bench.advance(hours(5));
    const second = emit(bench, intervene, { severity: 'critical' });
    expect([second.rejection, second.events]).toEqual([
      expect.objectContaining({ code: 'ticket-known' }),
      [],
    ]);
  });

  test('after a dismissal, the next follows when the cooldown is over, or when it is worse', () => {
    const bench = new Bench();
    emit(bench, dismiss, { severity: 'medium' });
    bench.advance(minutes(29));
    expect(emit(bench, dismiss, { severity: 'medium' }).rejection).toMatchObject({ code: 'ticket-known' });
    expect(emit(bench, dismiss, { severity: 'high' }).rejection).toBeUndefined();
    bench.advance(minutes(31));
    expect(emit(bench, dismiss, { severity: 'medium' }).rejection).toBeUndefined();
  });

  test('the record keeps eight of them', () => {
    const bench = new Bench();
    for (let n = 0; n < 20; n += 1) {
      emit(bench, dismiss);
      bench.advance(minutes(31));
    }
    expect(statuses(bench)).toHaveLength(8);
  });
});

describe('a ticket beside what rules find', () => {
  const can: Partial<Registration> = { mode: 'act', can: ['nudge', 'terminate', 'spawn'] };

  test('an incident that rules opened goes on as it would, and people are told once more', () => {
    const [bench, twin] = [new Bench(can), new Bench(can)];
    for (const each of [bench, twin]) loop(each);
    const told = emit(bench);
    expect(told.effects.map(({ kind }) => kind)).toEqual(['notify']);
    expect(told.events).toContainEqual(
      expect.objectContaining({
        type: 'WORKER_ESCALATION_TICKET',
        payload: expect.objectContaining({ incidentId: 'ada/1' }),
      }),
    );
    for (let minute = 0; minute < 90; minute += 5) {
      for (const each of [bench, twin]) each.advance(minutes(5));
      expect(bench.agent.hard.incident).toEqual(twin.agent.hard.incident);
    }
  });

  test('a dismissal or a false alarm changes nothing about it', () => {
    for (const answer of ['dismissed', 'false_alarm'] as const) {
      const [bench, twin] = [new Bench(can), new Bench(can)];
      for (const each of [bench, twin]) loop(each);
      emit(bench, answer === 'dismissed' ? dismiss : intervene, { ticket_id: 'x' });
      if (answer === 'false_alarm')
        act(bench, { kind: 'answer', ticketId: 'x', answer, by: 'alice', reason: 'it works', cooldownMs: 0 });
      for (let minute = 0; minute < 90; minute += 5) {
        for (const each of [bench, twin]) each.advance(minutes(5));
        expect(bench.agent.hard.incident).toEqual(twin.agent.hard.incident);
      }
    }
  });

  test('when the findings of the rules are over, their incident closes, and the ticket asks by itself', () => {
    const bench = new Bench(can);
    loop(bench);
    emit(bench);
    bench.signal({ kind: 'finding-cleared', findingKind: 'repeated-call' }, 'holter');
    bench.advance(hours(1));
    expect(bench.agent.hard.incident).toMatchObject({ id: 'ada/2', cause: 'ticket' });
  });

  test('what rules find later begins at its own step', () => {
    const bench = new Bench(can);
    emit(bench);
    loop(bench);
    expect(bench.agent.hard.incident).toMatchObject({ cause: 'repeated-call', step: 'nudge', attempt: 1 });
  });

  test('a ticket in between does not make rules begin again', () => {
    const bench = new Bench(can);
    loop(bench);
    bench.signal({ kind: 'finding-cleared', findingKind: 'repeated-call' }, 'holter');
    bench.advance(minutes(20));
    expect(bench.agent.hard.past).toMatchObject({ cause: 'repeated-call' });
    emit(bench);
    loop(bench);
    expect(bench.agent.hard.incident).toMatchObject({ cause: 'repeated-call', step: 'nudge', attempt: 2 });
  });

  test('a ticket is no second source', () => {
    const bench = new Bench(can);
    frozen(bench);
    emit(bench);
    bench.advance(hours(24));
    expect(stepOf(bench)).not.toBe('terminate');
    expect(bench.agent.hard.incident?.cause).toBe('frozen');
  });

  test('an agent that a person snoozed stays snoozed', () => {
    const bench = new Bench(can);
    const decision = { by: 'alice', reason: 'known', decision: 'allow_more_time', forMs: hours(1) } as const;
    loop(bench);
    bench.feed({ kind: 'decision', decision });
    expect(emit(bench).effects).toEqual([]);
    expect(bench.agent.hard.quiet).toBeDefined();
  });
});

describe("the operator's answer", () => {
  test('useful is recorded, and nothing else', () => {
    const bench = new Bench();
    emit(bench, intervene, { ticket_id: 'u' });
    const before = bench.agent.hard.incident;
    const answered = answer(bench, 'u', 'useful');
    expect(types(answered)).toEqual(['TICKET_CHANGED']);
    expect(bench.agent.hard.incident).toEqual(before);
  });

  test('false alarm takes the ticket down', () => {
    const bench = new Bench();
    emit(bench, intervene, { ticket_id: 'f' });
    answer(bench, 'f', 'false_alarm');
    expect([bench.agent.hard.points, statuses(bench)]).toEqual([[], ['dismissed']]);
  });

  test('false alarm quietens the condition from the answer on, however late it comes', () => {
    const bench = new Bench();
    emit(bench, intervene, { ticket_id: 'f' });
    bench.advance(minutes(45));
    answer(bench, 'f', 'false_alarm');
    bench.advance(minutes(29));
    expect(emit(bench).rejection).toMatchObject({ code: 'ticket-known' });
    bench.advance(minutes(1));
    expect(emit(bench).rejection).toBeUndefined();
  });

  test('false alarm about a ticket that has passed quietens its condition as well', () => {
    const bench = new Bench();
    emit(bench, dismiss, { ticket_id: 'f' });
    bench.advance(minutes(45));
    expect(types(answer(bench, 'f', 'false_alarm'))).toEqual(['TICKET_CHANGED']);
    bench.advance(minutes(29));
    expect(emit(bench).rejection).toMatchObject({ code: 'ticket-known' });
    expect(emit(bench, intervene, { severity: 'critical' }).rejection).toBeUndefined();
  });

  test('a condition that passes late is quiet from then on', () => {
    const bench = new Bench();
    emit(bench);
    bench.advance(minutes(45));
    act(bench, { kind: 'resolve', condition: 'no-accept', reason: 'a step was accepted' });
    bench.advance(minutes(29));
    expect(emit(bench).rejection).toMatchObject({ code: 'ticket-known' });
    bench.advance(minutes(1));
    expect(emit(bench).rejection).toBeUndefined();
  });

  test('a false alarm about the whole agent includes its tickets', () => {
    const bench = new Bench();
    emit(bench);
    const decision = { by: 'alice', reason: 'it works', decision: 'dismiss' } as const;
    expect(types(bench.feed({ kind: 'decision', decision }))).toContain('TICKET_CHANGED');
    expect(statuses(bench)).toEqual(['dismissed']);
  });
});
