import type { SignalBody } from '@holter/core';
import type { Oddity } from './oddity.ts';
import type { SimAgent } from './sim-agent.ts';

const say = (agent: SimAgent, body: SignalBody): void => agent.env.send(agent, body, agent.freshId());
const speak = (agent: SimAgent, text: string): void => say(agent, { kind: 'said', role: 'assistant', text });

const letters = 'abcdefghijklmnopqrstuvwxyz';
const letter = (turn: number): string => letters[turn % letters.length] as string;
/** Numbers do not make two texts different; words do. */
const someWord = (turn: number): string =>
  `${letter(turn)}${letter(turn * 7 + 3)}${letter(turn * 11 + 5)}ing`;

/** Words instead of work. */
export const talk: readonly Oddity[] = [
  {
    tells: 'says the same thing again',
    turns: 7,
    everyMs: 20_000,
    work: 'stuck',
    play: (agent) => speak(agent, 'I will now look into the failing test.'),
  },
  {
    tells: 'talks and talks, and calls nothing',
    turns: 28,
    everyMs: 14_000,
    work: 'stuck',
    play: (agent, turn) => speak(agent, `On reflection, ${someWord(turn)} would be better.`),
  },
  {
    tells: 'answers with nothing',
    turns: 7,
    everyMs: 20_000,
    work: 'stuck',
    play: (agent) => speak(agent, ''),
  },
  {
    tells: 'compacts its context again and again',
    turns: 8,
    everyMs: 30_000,
    work: 'stuck',
    play: (agent) => say(agent, { kind: 'compaction' }),
  },
  {
    tells: 'is told to try again, and again',
    turns: 13,
    everyMs: 30_000,
    work: 'stuck',
    play: (agent) => say(agent, { kind: 'verdict', verdict: 'RETRY' }),
    over: (agent) => say(agent, { kind: 'verdict', verdict: 'ACCEPT' }),
  },
];

/** What a model uses up. */
export const consumption: readonly Oddity[] = [
  {
    tells: 'fills its context to the brim',
    turns: 4,
    everyMs: 90_000,
    work: 'works',
    play: (agent, turn) =>
      say(agent, { kind: 'tokens', total: agent.tokens, contextUse: 0.84 + 0.04 * turn, costUsd: 0.1 }),
    over: (agent) => say(agent, { kind: 'tokens', total: agent.tokens, contextUse: 0.2 }),
  },
  {
    tells: 'reads a huge file after an ordinary quarter of an hour',
    turns: 14,
    everyMs: 65_000,
    work: 'works',
    play: (agent, turn) => {
      agent.tokens += turn === 11 ? 150_000 : 900;
      say(agent, { kind: 'tokens', total: agent.tokens });
    },
  },
  {
    tells: 'uses no token any more',
    turns: 20,
    everyMs: 60_000,
    work: 'stuck',
    play: (agent) => say(agent, { kind: 'tokens', total: agent.tokens + 1 }),
    over: (agent) => {
      agent.tokens += 2_000;
      say(agent, { kind: 'tokens', total: agent.tokens });
    },
  },
];
