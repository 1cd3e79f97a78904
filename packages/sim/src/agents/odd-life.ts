import type { HoldKind, Instant, MessagePriority, SignalBody } from '@holter/core';
import { Act } from './agent-env.ts';
import { acknowledgeLetter, deliverLetter, PRIORITIES } from './letters.ts';
import { type Oddity, START_AGAIN } from './oddity.ts';
import type { SimAgent } from './sim-agent.ts';

const MINUTE = 60_000;

const say = (agent: SimAgent, body: SignalBody): void => agent.env.send(agent, body, agent.freshId());

function cut(agent: SimAgent, isCut: boolean): void {
  agent.partition = isCut ? 'both' : 'none';
  agent.env.truthChanged(agent);
}

const rest = (hold: HoldKind, minutes: number, isKnown: boolean): Oddity => ({
  tells: `is on hold (${hold})`,
  turns: 1,
  everyMs: minutes * MINUTE,
  work: 'rests',
  play: (agent) => {
    const until = (agent.wallNow + minutes * MINUTE) as Instant;
    say(agent, { kind: 'hold-begun', hold, ...(isKnown && { until }) });
  },
  over: (agent) => say(agent, { kind: 'hold-ended', hold }),
});

/** Things that happen to agents and are no loops: messages, words about themselves, rest, an end. */
export const life: readonly Oddity[] = [
  rest('waiting-for-permission', 20, false),
  rest('awaiting-gate', 50, false),
  rest('asleep', 35, true),
  rest('hibernated', 90, false),
  {
    tells: 'does nothing for half an hour',
    turns: 1,
    everyMs: 34 * MINUTE,
    work: 'stuck',
    play: () => {},
  },
  {
    tells: 'leaves a new task where it lies',
    turns: 1,
    everyMs: 34 * MINUTE,
    work: 'stuck',
    play: (agent) => {
      agent.taskId = `left${agent.slot}.${++agent.taskCount}`;
      agent.taskUntil = agent.env.now + 2 * 60 * MINUTE;
      say(agent, { kind: 'task-assigned', taskId: agent.taskId });
    },
  },
  {
    tells: 'calls itself degraded',
    turns: 2,
    everyMs: 4 * MINUTE,
    work: 'works',
    play: (agent) => say(agent, { kind: 'status', status: 'degraded' }),
    over: (agent) => say(agent, { kind: 'status', status: 'healthy' }),
  },
  {
    tells: 'works in turns, and says how far it is',
    turns: 6,
    everyMs: MINUTE,
    work: 'works',
    play: (agent, turn) => {
      say(agent, { kind: turn % 2 === 0 ? 'turn-begun' : 'turn-ended' });
      say(agent, { kind: 'activity' });
      if (agent.taskId !== null)
        say(agent, { kind: 'task-updated', taskId: agent.taskId, percent: 10 * turn });
    },
  },
  {
    tells: 'reports a blocker and asks for a handoff',
    turns: 2,
    everyMs: 3 * MINUTE,
    work: 'works',
    play: (agent, turn) =>
      say(
        agent,
        turn === 0
          ? { kind: 'blocker', text: `the schema ${agent.freshId()} is missing` }
          : { kind: 'handoff-requested', reason: 'this needs somebody else' },
      ),
  },
  {
    tells: 'reads its mail late',
    turns: 4,
    everyMs: 9 * MINUTE,
    work: 'works',
    play: (agent, turn) =>
      deliverLetter(agent, `${agent.life}.${turn}`, PRIORITIES[turn % PRIORITIES.length] as MessagePriority),
    over: (agent) => {
      for (let turn = 0; turn < 4; turn++) acknowledgeLetter(agent, `${agent.life}.${turn}`);
    },
  },
  {
    tells: 'is cut off with an urgent letter in its box',
    turns: 1,
    everyMs: 50 * MINUTE,
    work: 'works',
    play: (agent) => {
      deliverLetter(agent, `${agent.life}.cut`, 'urgent');
      cut(agent, true);
    },
    over: (agent) => {
      cut(agent, false);
      acknowledgeLetter(agent, `${agent.life}.cut`);
    },
  },
  {
    tells: 'is cut off, and its messages come back',
    turns: 2,
    everyMs: 25 * MINUTE,
    work: 'works',
    play: (agent, turn) => {
      if (turn > 0) return;
      cut(agent, true);
      agent.env.sense(agent, { kind: 'message-failed', messageId: `m${agent.life}`, code: 'unreachable' });
      agent.env.sense(agent, { kind: 'connection', state: 'closed' });
    },
    over: (agent) => {
      cut(agent, false);
      agent.env.sense(agent, { kind: 'connection', state: 'open' });
    },
  },
  {
    tells: 'is late with its task, and then out of reach',
    turns: 4,
    everyMs: 34 * MINUTE,
    work: 'works',
    play: (agent, turn) => {
      if (turn === 0) {
        agent.taskId = `late${agent.slot}.${++agent.taskCount}`;
        agent.taskUntil = agent.env.now + 4 * 60 * MINUTE;
        const expectedAt = (agent.env.now + 2 * MINUTE) as Instant;
        say(agent, { kind: 'task-assigned', taskId: agent.taskId, expectedAt });
      }
      if (turn === 2) cut(agent, true);
    },
    over: (agent) => {
      cut(agent, false);
      if (agent.taskId !== null) say(agent, { kind: 'task-updated', taskId: agent.taskId, percent: 90 });
    },
  },
  {
    tells: 'says that it cannot go on, and finds a way after all',
    turns: 1,
    everyMs: 18 * MINUTE,
    work: 'stuck',
    play: (agent) => say(agent, { kind: 'error', message: 'no disk space left', isUnrecoverable: true }),
  },
  {
    tells: 'stops on purpose, and is started again by whoever owns it',
    turns: 1,
    everyMs: 1_000,
    work: 'works',
    play: (agent) => {
      say(agent, { kind: 'stopped', reason: 'its owner went home' });
      agent.die(0);
      agent.plan(agent.random.between(3, 50) * MINUTE, Act.own, START_AGAIN);
    },
  },
];
