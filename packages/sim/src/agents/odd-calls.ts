import type { Oddity } from './oddity.ts';
import type { SimAgent } from './sim-agent.ts';

/** Fast enough to be a loop and not a wait. */
const PACE_MS = 9_000;

function call(agent: SimAgent, tool: string, input: unknown, output: string, isError = false): void {
  agent.callCount++;
  const callId = agent.callId();
  agent.tokens += 500;
  agent.env.send(agent, { kind: 'call-ended', callId, tool, input, output, isError }, `${callId}e`);
}

const SPELLINGS = [
  'parseConfig',
  'parse_config',
  'parseConfigs',
  'ParseConfig',
  'parsedConfig',
  'parseConfigure',
  'configParse',
  'parsesConfig',
  'parseTheConfig',
] as const;

/** Calls that lead nowhere, each in its own way. */
const fruitless: readonly Omit<Oddity, 'over' | 'work'>[] = [
  {
    tells: 'makes the same call with the same result',
    turns: 8,
    everyMs: PACE_MS,
    play: (agent) => call(agent, 'bash', { command: 'make check' }, 'nothing to be done'),
  },
  {
    tells: 'waits for something that never comes',
    turns: 66,
    everyMs: 60_000,
    play: (agent) => call(agent, 'bash', { command: 'gh run view' }, 'queued'),
  },
  {
    tells: 'fails in one way with ever other arguments',
    turns: 12,
    everyMs: PACE_MS,
    play: (agent, turn) => {
      const file = 'abcdefghijkl'[turn % 12] as string;
      call(agent, 'edit', { path: `src/${file}.ts` }, `src/${file}.ts: Permission denied`, true);
    },
  },
  {
    tells: 'goes back and forth between two calls',
    turns: 16,
    everyMs: PACE_MS,
    play: (agent, turn) =>
      call(agent, 'read', { path: turn % 2 === 0 ? 'src/left.ts' : 'src/right.ts' }, `side ${turn % 2}`),
  },
  {
    tells: 'wanders between files that it knows',
    turns: 45,
    everyMs: PACE_MS,
    play: (agent, turn) => {
      const file = 'abcdefg'[turn < 7 ? turn : agent.random.below(7)] as string;
      call(agent, 'read', { path: `src/${file}.ts` }, `the text of ${file}`);
    },
  },
  {
    tells: 'spells a name that is not there in every way',
    turns: SPELLINGS.length,
    everyMs: PACE_MS,
    play: (agent, turn) =>
      call(agent, 'grep', { pattern: SPELLINGS[turn % SPELLINGS.length], path: 'src' }, 'No matches found'),
  },
  {
    tells: 'calls a tool that does not exist',
    turns: 7,
    everyMs: PACE_MS,
    play: (agent, turn) =>
      call(
        agent,
        'frobnicate',
        { path: `src/${turn}.ts` },
        'Error: No such tool available: frobnicate',
        true,
      ),
  },
];

/** Only a new result shows that it is over: the next piece of work might begin with an error, or be the last. */
const succeed = (agent: SimAgent): void =>
  call(agent, 'edit', { path: `src/${agent.word()}.ts` }, `wrote ${agent.word()}`);

export const calls: readonly Oddity[] = fruitless.map((oddity) => ({
  ...oddity,
  work: 'stuck',
  over: succeed,
}));
