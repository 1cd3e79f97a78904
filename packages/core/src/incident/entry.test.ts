import { describe, expect, test } from 'vitest';
import { agentOf, Bench, policiesOf, policyFor } from '../../test/kit.ts';
import { instant } from '../base/time.ts';
import type { Mode } from '../record/agent.ts';
import { draftOf } from '../record/draft.ts';
import type { Capability } from '../vocabulary/effect.ts';
import { FINDING_KINDS, type FindingKind } from '../vocabulary/finding.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import { LADDER } from '../vocabulary/ladder.ts';
import { NO_STALLS } from '../vocabulary/stall.ts';
import { climbTo, openIncident } from './change.ts';

const all: readonly Capability[] = ['nudge', 'terminate', 'spawn'];

function stepAfter(kind: FindingKind, mode: Mode, can: readonly Capability[], raw: unknown = {}): string {
  const bench = new Bench({ mode, can }, policiesOf(raw));
  const finding = {
    kind,
    severity: 'act',
    source: 'agent-reports',
    since: bench.at,
    evidence: 'seen',
    threshold: 'any',
  } as const;
  bench.signal({ kind: 'finding', finding }, 'holter');
  return bench.agent.hard.incident?.step ?? '-';
}

describe('where an incident enters the ladder', () => {
  // Finding | mode act or nudge, and a channel can nudge | no channel can | mode observe
  const table = `
    repeated-call        | nudge    | escalate | escalate
    call-cycle           | nudge    | escalate | escalate
    same-error           | nudge    | escalate | escalate
    near-duplicate       | nudge    | escalate | escalate
    zero-diversity       | nudge    | escalate | escalate
    unchanged-poll       | nudge    | escalate | escalate
    repeated-text        | nudge    | escalate | escalate
    monologue            | nudge    | escalate | escalate
    empty-replies        | nudge    | escalate | escalate
    compaction-loop      | nudge    | escalate | escalate
    unknown-tool         | nudge    | escalate | escalate
    failing-calls        | nudge    | escalate | escalate
    revisit              | nudge    | escalate | escalate
    dry-spell            | nudge    | escalate | escalate
    same-answer          | nudge    | escalate | escalate
    restated-plan        | nudge    | escalate | escalate
    verdict-streak       | nudge    | escalate | escalate
    context-exhausted    | nudge    | escalate | escalate
    token-flat           | nudge    | escalate | escalate
    silent               | nudge    | escalate | escalate
    work-unstarted       | nudge    | escalate | escalate
    checkpoint-stale     | nudge    | escalate | escalate
    frozen               | escalate | escalate | escalate
    missed-heartbeats    | escalate | escalate | escalate
    no-pong              | escalate | escalate | escalate
    delivery-failed      | escalate | escalate | escalate
    task-overdue         | escalate | escalate | escalate
    ack-overdue          | escalate | escalate | escalate
    job-late             | escalate | escalate | escalate
    job-failed           | escalate | escalate | escalate
    breaker-open         | escalate | escalate | escalate
    consecutive-failures | escalate | escalate | escalate
    unrecoverable-error  | escalate | escalate | escalate
    limit-exceeded       | escalate | escalate | escalate
    budget               | escalate | escalate | escalate
    process-gone         | escalate | escalate | escalate
    token-spike          | -        | -        | -
    spending             | -        | -        | -
    error-rate           | -        | -        | -
    hold-overdue         | -        | -        | -
    not-exiting          | -        | -        | -
    hooks-silent         | -        | -        | -
    file-unusable        | -        | -        | -
    self-reported        | -        | -        | -
    foreign-task         | -        | -        | -
    ticket               | escalate | escalate | escalate
    blocker              | -        | -        | -`;
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()) as [FindingKind, string, string, string]);

  test('the table lists every kind once', () => {
    expect(rows.map(([kind]) => kind).sort()).toEqual(Object.keys(FINDING_KINDS).sort());
  });

  test.each(rows)('%s: %s, %s without a channel, %s in mode observe', (kind, usual, deaf, observed) => {
    expect(stepAfter(kind, 'act', all)).toBe(usual);
    expect(stepAfter(kind, 'nudge', all)).toBe(usual);
    expect(stepAfter(kind, 'act', ['terminate', 'spawn'])).toBe(deaf);
    expect(stepAfter(kind, 'observe', all)).toBe(observed);
  });

  test.each(rows)('%s as a warning opens no incident', (kind) => {
    const bench = new Bench();
    const finding = {
      kind,
      severity: 'warn',
      source: 'agent-reports',
      since: bench.at,
      evidence: 'seen',
      threshold: 'any',
    } as const;
    bench.signal({ kind: 'finding', finding }, 'holter');
    expect(bench.agent.hard.incident).toBeUndefined();
  });

  // Kind | the policy says terminate | mode | capabilities | entry step
  const named = `
    unrecoverable-error | act     | nudge,terminate,spawn | terminate
    unrecoverable-error | act     | nudge                 | escalate
    unrecoverable-error | nudge   | nudge,terminate,spawn | escalate
    unrecoverable-error | observe | nudge,terminate,spawn | escalate
    limit-exceeded      | act     | nudge,terminate,spawn | terminate
    limit-exceeded      | act     | nudge,terminate       | terminate
    limit-exceeded      | nudge   | nudge,terminate,spawn | escalate
    frozen              | act     | nudge,terminate,spawn | escalate`;
  const namedRows = named
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()) as [FindingKind, Mode, string, string]);

  test.each(namedRows)('%s, terminate named, mode %s, can %s: %s', (kind, mode, can, step) => {
    const raw = {
      rules: { unrecoverable_step: 'terminate', freeze_step: 'terminate' },
      limits: { step: 'terminate' },
    };
    expect(stepAfter(kind, mode, can.split(',') as Capability[], raw)).toBe(step);
  });

  test('a proven end enters at recover, and outside mode act goes on to human', () => {
    const stepAfterExit = (mode: Mode): string | undefined => {
      const bench = new Bench({ mode });
      bench.signal({ kind: 'exited', code: 1 }, 'holter');
      return bench.agent.hard.incident?.step;
    };
    expect(stepAfterExit('act')).toBe('recover');
    expect(stepAfterExit('nudge')).toBe('human');
    expect(stepAfterExit('observe')).toBe('human');
  });
});

describe('the ladder', () => {
  const pairs = LADDER.flatMap((from) => LADDER.map((to) => ({ from, to })));

  test.each(pairs)('$from to $to', ({ from, to }) => {
    const draft = draftAt(from);
    const isUp = LADDER.indexOf(to) > LADDER.indexOf(from);
    const climb = (): void => climbTo(draft, to, 1, 'a test');
    if (isUp) expect(climb).not.toThrow();
    else expect(climb).toThrow(/may not go/);
  });

  test('the same step goes on to a higher attempt only', () => {
    const draft = draftAt('nudge');
    climbTo(draft, 'nudge', 3, 'a test');
    expect(() => climbTo(draft, 'nudge', 2, 'a test')).toThrow(/may not go/);
    expect(() => climbTo(draft, 'nudge', 3, 'a test')).toThrow(/may not go/);
  });

  test('at most one incident is open', () => {
    const draft = draftAt('nudge');
    expect(() => openIncident(draft, 'silent', 'nudge')).toThrow(/open incident already/);
  });

  function draftAt(step: LadderStep) {
    const agent = agentOf();
    const policy = policyFor(policiesOf(), agent.hard.role, agent.hard.agentId);
    const draft = draftOf(agent, instant(2_000), NO_STALLS, policy);
    openIncident(draft, 'silent', step);
    return draft;
  }
});
