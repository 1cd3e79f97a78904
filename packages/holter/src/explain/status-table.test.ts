import { instant } from '@holter/core';
import type { AgentView } from '@holter/server/local';
import { describe, expect, it } from 'vitest';
import { exampleAgent, exampleFinding, exampleIncident, now } from '../../test/example-agent.ts';
import { hasEnded, isWaitingForPerson, isWrong, mostUrgentFirst, stateWord } from './state-order.ts';
import { statusTable } from './status-table.ts';

const agent = (agentId: string, change: Partial<AgentView> = {}): AgentView => ({
  ...exampleAgent,
  agentId,
  ...change,
});
const evidence =
  'no checkpoint for 45 min, and nothing else moved: 14 calls, 3 of them failed, and none changed a file';
const incident = { ...exampleIncident, step: 'human' as const };
const stuck = agent('a-worker-with-a-long-name-of-the-team-of-ines-7', {
  state: 'STUCK',
  stateSince: instant(now - 900_000),
  tokens: 1_234_567,
  costUsd: 3.4,
  findings: [{ ...exampleFinding, evidence }],
  incident,
  needsYouSince: instant(now - 900_000),
});
const failed = agent('failed-once', {
  state: 'FAILING',
  end: { how: 'crash', at: now - 2_000, detail: 'exit code 5', exitCode: 5, signal: null, byHolter: false },
});
const screen = (width: number) => ({ width, hasColour: false });

describe('the table of agents', () => {
  it.each([60, 80, 100, 200])('fits %i columns, and what is wrong is told whole', (width) => {
    const lines = statusTable(screen(width), [stuck, agent('ada')])
      .trimEnd()
      .split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    const told = lines
      .filter((line) => line.startsWith('    '))
      .map((line) => line.trim())
      .join(' ');
    expect(told).toContain(evidence);
    expect(lines.at(-1)).toMatch(/^ada +HEALTHY/);
  });

  it('shows tokens and cost where they are known, and a dash where not', () => {
    const [head, first, , , , last] = statusTable(screen(100), [
      { ...stuck, agentId: 'bob' },
      agent('ada'),
    ]).split('\n');
    expect(head).toBe('AGENT  STATE    FOR     HEARD     TOKENS   COST');
    expect(first).toBe('bob    STUCK    15 min  12 s ago    1.2M  $3.40');
    expect(last).toBe('ada    HEALTHY  60 min  12 s ago       –      –');
  });

  it('expects no word of a command that promised only to run, and counts no milliseconds', () => {
    const lines = statusTable(screen(100), [
      agent('make', { promises: { process: true }, lastSignAt: null, stateSince: now }),
      agent('mute', { promises: { beatEverySeconds: 60 }, lastSignAt: null }),
      agent('new', { lastSignAt: now - 400 }),
    ]).split('\n');
    expect(lines.slice(1, 4)).toEqual([
      'make   HEALTHY  <1 s    –              –     –',
      'mute   HEALTHY  60 min  never          –     –',
      'new    HEALTHY  60 min  just now       –     –',
    ]);
  });

  it('tells a pipe each agent in one line', () => {
    const [, line] = statusTable(screen(Number.POSITIVE_INFINITY), [stuck]).split('\n');
    expect(line).toContain(evidence);
    expect(line).toMatch(/the agent is nudged in 4 min/);
  });

  it('tells how an ended agent ended', () => {
    expect(statusTable(screen(80), [failed]).split('\n').slice(1, 3)).toEqual([
      'failed-once  ended  2 s  12 s ago       –     –',
      '    exit code 5',
    ]);
  });
});

describe('the order of agents', () => {
  it('who waits for a person comes first, then the worst, and the ended last', () => {
    const asks = agent('asks', { needsYouSince: now });
    const worse = agent('worse', { state: 'STUCK' });
    const order = mostUrgentFirst([failed, agent('ada'), asks, worse, stuck]);
    expect(order.map(({ agentId }) => agentId)).toEqual([
      stuck.agentId,
      'worse',
      'asks',
      'ada',
      'failed-once',
    ]);
    expect([stuck, asks, worse].map(isWaitingForPerson)).toEqual([true, true, false]);
  });

  it('a command that has merely ended is nothing wrong; one to be brought back is', () => {
    expect([isWrong(failed), hasEnded(failed), stateWord(failed)]).toEqual([false, true, 'ended']);
    expect(isWrong({ ...failed, incident })).toBe(true);
  });
});
