import type { AgentView } from '@holter/server/local';
import { describe, expect, it } from 'vitest';
import {
  exampleAgent as healthy,
  exampleIncident as incident,
  minutesAgo,
  now,
  exampleFinding as stale,
} from '../../test/example-agent.ts';
import { threeLines } from './explain-agent.ts';

describe('three lines about an agent', () => {
  it.each<[why: string, change: Partial<AgentView>, lines: readonly string[]]>([
    [
      'well',
      {},
      ['ada has been HEALTHY for 60 min.', 'Why: no findings; last heard 12 s ago.', 'Next: nothing to do.'],
    ],
    [
      'well, as far as its process shows',
      { promises: { process: true } },
      [
        'ada has been HEALTHY for 60 min.',
        'Why: no findings; only its process is watched, not what it does.',
        'Next: nothing to do.',
      ],
    ],
    [
      'stuck',
      { state: 'STUCK', stateSince: minutesAgo(15), findings: [stale], incident },
      [
        'ada has been STUCK for 15 min.',
        'Why: no checkpoint for 45 min, and nothing else moved; a checkpoint would be progress (checkpoint-stale; limit: 10 min to warn, 30 min to act).',
        'Next: the agent is nudged in 4 min (nudge 3 of 3). You can: holter decide ada allow_more_time --minutes 15 --reason "…"  or  holter nudge ada --reason "…"  or  holter wrong ada --reason "…"',
      ],
    ],
    [
      'stuck, with a recommendation',
      {
        state: 'STUCK',
        findings: [stale],
        incident,
        recommended: { decision: 'nudge', why: 'it has not been nudged yet' },
      },
      [
        'ada has been STUCK for 60 min.',
        expect.stringContaining('no checkpoint for 45 min'),
        expect.stringContaining(
          'You can: holter nudge ada --reason "…" (recommended: it has not been nudged yet)  or  holter decide ada allow_more_time',
        ),
      ],
    ],
    [
      'restarted, while nothing can be decided',
      {
        state: 'FAILING',
        findings: [stale],
        incident,
        decisions: Object.fromEntries(
          Object.keys(healthy.decisions).map((word) => [word, 'a start is under way']),
        ) as AgentView['decisions'],
      },
      [
        'ada has been FAILING for 60 min.',
        expect.stringContaining('no checkpoint for 45 min'),
        'Next: the agent is nudged in 4 min (nudge 3 of 3).',
      ],
    ],
    [
      'resolved',
      { state: 'DEGRADED' },
      [
        'ada has been DEGRADED for 60 min.',
        'Why: what was wrong is resolved; it is watched for a while before it counts as healthy.',
        "Next: Holter keeps watching; you don't need to do anything yet.",
      ],
    ],
    [
      'told',
      {
        state: 'STUCK',
        findings: [stale],
        incident: { ...incident, told: [{ channel: 'phone', at: minutesAgo(3) }] },
      },
      [
        'ada has been STUCK for 60 min.',
        expect.stringContaining('no checkpoint for 45 min'),
        expect.stringMatching(/nudge 3 of 3\); told through phone 3 min ago\. You can: /),
      ],
    ],
    [
      'asked, and not seen yet',
      {
        state: 'STUCK',
        findings: [stale],
        incident: {
          ...incident,
          step: 'human',
          next: {
            step: 'human',
            at: null,
            inSeconds: null,
            code: 'waits-for-person',
            why: 'waiting for you (not seen yet)',
            isUnseen: true,
          },
        },
      },
      [
        'ada has been STUCK for 60 min.',
        expect.stringContaining('no checkpoint for 45 min'),
        expect.stringMatching(/^Next: waiting for you \(not seen yet\)\. You can: /),
      ],
    ],
    [
      'asked, and told what would be progress, in whatever words',
      {
        state: 'STUCK',
        findings: [{ ...stale, evidence: 'it hangs; only a checkpoint helps.', namesProgress: true }],
        incident: {
          ...incident,
          step: 'escalate',
          next: {
            step: 'human',
            at: null,
            inSeconds: null,
            code: 'waits-for-person-only',
            why: 'your turn; Holter will not stop it',
            isUnseen: false,
          },
        },
      },
      [
        'ada has been STUCK for 60 min.',
        'Why: it hangs; only a checkpoint helps (checkpoint-stale; limit: 10 min to warn, 30 min to act).',
        expect.stringMatching(/^Next: your turn; Holter will not stop it\. You can: /),
      ],
    ],
    [
      'silent',
      {
        state: 'DEGRADED',
        liveness: 'unknown',
        cause: 'network-partition',
        findings: [stale, { ...stale, severity: 'warn' }],
      },
      [
        'ada has been DEGRADED for 60 min, and it is not known whether it is alive (network-partition).',
        'Why: no checkpoint for 45 min, and nothing else moved; a checkpoint would be progress (checkpoint-stale; limit: 10 min to warn, 30 min to act). And 1 more: holter show ada',
        "Next: Holter keeps watching; you don't need to do anything yet.",
      ],
    ],
    [
      'waiting',
      {
        holds: [{ kind: 'waiting-for-input', since: minutesAgo(5), until: null, mcpServer: null }],
        needsYouSince: minutesAgo(5),
      },
      [
        'ada has been HEALTHY for 60 min.',
        'Why: nothing is wrong; it is waiting for your answer.',
        'Next: answer where it runs.',
      ],
    ],
    [
      'in a tool',
      { holds: [{ kind: 'in-tool', since: minutesAgo(5), until: null, mcpServer: null }] },
      [
        'ada has been HEALTHY for 60 min.',
        'Why: nothing is wrong; it is running a tool.',
        'Next: nothing to do.',
      ],
    ],
    [
      'in a call of an MCP server',
      { holds: [{ kind: 'in-tool', since: minutesAgo(5), until: null, mcpServer: 'github' }] },
      [
        'ada has been HEALTHY for 60 min.',
        'Why: nothing is wrong; it is waiting for MCP server github, in a call that began 5 min ago.',
        'Next: nothing to do.',
      ],
    ],
    [
      'finished',
      {
        state: 'TERMINATED',
        liveness: 'gone',
        end: {
          how: 'exit-0',
          at: now - 1_000,
          detail: 'exit code 0',
          exitCode: 0,
          signal: null,
          byHolter: false,
        },
      },
      ['ada finished 1 s ago.', 'Why: exit code 0.', 'Next: nothing to do.'],
    ],
    [
      'failed just now',
      {
        state: 'TERMINATED',
        liveness: 'gone',
        end: { how: 'crash', at: now, detail: 'exit code 3', exitCode: 3, signal: null, byHolter: false },
      },
      ['ada failed just now.', 'Why: exit code 3.', 'Next: nothing to do.'],
    ],
    [
      'stopped by Holter, for a reason that is said once',
      {
        state: 'TERMINATED',
        liveness: 'gone',
        end: {
          how: 'stopped',
          at: minutesAgo(3),
          detail: 'stopped by Holter: ordered by ines: enough (killed by SIGINT)',
          exitCode: null,
          signal: 'SIGINT',
          byHolter: true,
        },
      },
      [
        'ada was stopped by Holter 3 min ago.',
        'Why: ordered by ines: enough (killed by SIGINT).',
        'Next: nothing to do.',
      ],
    ],
    [
      'about to be stopped',
      {
        state: 'STUCK',
        stateSince: now,
        findings: [stale],
        incident: {
          ...incident,
          step: 'escalate',
          next: {
            step: 'terminate',
            at: now + 240_000,
            inSeconds: 240,
            code: 'if-nobody-decides',
            why: 'if nobody decides; waiting for you (not seen yet)',
            isUnseen: true,
          },
        },
      },
      [
        'ada has been STUCK for <1 s.',
        expect.stringContaining('no checkpoint for 45 min'),
        expect.stringMatching(
          /^Next: the agent is stopped in 4 min unless you decide \(not seen yet\)\. You can: /,
        ),
      ],
    ],
    [
      'snoozed',
      { quiet: { until: now + 60_000, by: 'ines', reason: 'lunch' } },
      [
        'ada has been HEALTHY for 60 min.',
        'Why: no findings; last heard 12 s ago.',
        'Next: snoozed for 60 s by ines (lunch).',
      ],
    ],
  ])('%s', (_why, change, lines) => {
    expect(threeLines({ ...healthy, ...change }, now)).toEqual(lines);
  });
});

it.each([
  [null, ''],
  [1_500, ''],
  [-12_000, ' Its clock is 12 s behind.'],
  [90_000, ' Its clock is 90 s ahead, so times that it reports are wrong.'],
])('a clock that is %s ms ahead', (clockSkewMs, says) => {
  const line = (agent: AgentView): string => threeLines(agent, now)[1];
  expect(line({ ...healthy, clockSkewMs })).toBe(`${line(healthy)}${says}`);
});
