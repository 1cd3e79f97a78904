import type { Client, DecidedView } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents } from '../client/connection.ts';
import { type Example, withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { byOf, type DecisionOptions, minutes, tellDecided, withDecisionOptions } from './decision-options.ts';

type AgentDecision = {
  readonly name: 'nudge' | 'terminate' | 'recover' | 'pause' | 'resume' | 'snooze' | 'wake' | 'wrong';
  readonly does: string;
  /** What is printed when the server has accepted it. */
  readonly done: string;
  readonly examples: readonly Example[];
  readonly options?: (command: Command) => Command;
  readonly body?: (options: never) => Readonly<Record<string, unknown>>;
};

type FindingOption = { readonly finding?: string };
type CheckpointOption = { readonly checkpoint?: string };

const withFinding = (command: Command): Command =>
  command.option('--finding <kind>', 'only this kind of finding, e.g. repeated-call');
const findingOf = ({ finding }: FindingOption) => ({ ...(finding !== undefined && { finding }) });

const withCheckpoint = (command: Command): Command =>
  command.option('--checkpoint <id>', 'start from this one, and from no other');
const checkpointOf = ({ checkpoint }: CheckpointOption) => ({
  ...(checkpoint !== undefined && { checkpointId: checkpoint }),
});

const decisions: readonly AgentDecision[] = [
  {
    name: 'nudge',
    does: 'say something to an agent, in its own context',
    done: 'will be told with its next request',
    options: (command) => command.option('--message <text>', 'the words for the agent (default: the reason)'),
    body: ({ message }: { readonly message?: string }) => ({ ...(message !== undefined && { message }) }),
    examples: [['holter nudge worker-7 --reason "the build is green again"', 'the reason is what it reads']],
  },
  {
    name: 'terminate',
    does: 'stop an agent: it is asked to save its work first',
    done: 'will be stopped',
    options: (command) =>
      withCheckpoint(command.option('--recover', 'and start a successor from its newest valid checkpoint')),
    body: ({ recover, ...rest }: { readonly recover?: boolean } & CheckpointOption) => ({
      recover: recover === true,
      ...checkpointOf(rest),
    }),
    examples: [
      ['holter terminate worker-7 --reason "wrong branch"', 'stop it'],
      ['holter terminate worker-7 --recover --reason "confused"', 'and start it again'],
    ],
  },
  {
    name: 'recover',
    does: 'start a successor of an agent that has ended',
    done: 'will be started from a checkpoint',
    options: (command) => withCheckpoint(command),
    body: checkpointOf,
    examples: [
      ['holter recover worker-7 --reason "fixed the disk"', 'from its newest valid checkpoint'],
      ['holter recover worker-7 --checkpoint c-12 --reason "c-13 is confused"', 'from the one you pick'],
    ],
  },
  {
    name: 'pause',
    does: 'tell Holter that an agent rightly does nothing, until you resume it',
    done: 'is on hold: its progress is not judged',
    examples: [['holter pause worker-7 --reason "lunch"', 'stop the clocks']],
  },
  {
    name: 'resume',
    does: 'end a pause',
    done: 'is judged again',
    examples: [['holter resume worker-7 --reason "back"', 'let the clocks run']],
  },
  {
    name: 'snooze',
    does: 'leave an agent in peace for a while; findings stay visible',
    done: 'is left in peace',
    options: (command) => withFinding(command.option('--minutes <n>', 'for how long', minutes, 30)),
    body: ({ minutes: forMinutes, ...rest }: { readonly minutes: number } & FindingOption) => ({
      minutes: forMinutes,
      ...findingOf(rest),
    }),
    examples: [
      ['holter snooze worker-7 --minutes 60 --reason "long build"', 'for an hour'],
      [
        'holter snooze worker-7 --finding unchanged-poll --reason "it waits for CI"',
        'other findings still act',
      ],
    ],
  },
  {
    name: 'wake',
    does: 'take a snooze back: what still holds is due at once',
    done: 'is looked at again',
    options: (command) => withFinding(command),
    body: findingOf,
    examples: [
      ['holter wake worker-7 --reason "the build is over"', 'end its peace'],
      ['holter wake worker-7 --finding unchanged-poll --reason "CI is done"', 'let this finding act again'],
    ],
  },
  {
    name: 'wrong',
    does: 'say that what was found is wrong: it is forgotten, and not looked for for a while',
    done: 'is left in peace, and what was counted is forgotten',
    options: (command) => withFinding(command),
    body: findingOf,
    examples: [
      ['holter wrong worker-7 --reason "it was waiting for me"', 'Holter was mistaken about all of it'],
      ['holter wrong worker-7 --finding repeated-call --reason "it polls"', 'about this one only'],
    ],
  },
];

const asItIs = (command: Command): Command => command;

export function registerAgentDecisions(program: Command, io: Io): void {
  for (const { name, does, done, examples, options: more = asItIs, body = () => ({}) } of decisions) {
    const command = withDecisionOptions(
      more(program.command(name).description(does).argument('<agent>', 'its id')),
    );
    withExamples(command, examples).action(async (agentId: string, options: DecisionOptions) => {
      refuseAgents(io, name);
      const connection = findServer(io, options, 'operator');
      const sent = { reason: options.reason, ...byOf(io, options), ...body(options as never) };
      // The server's schema checks the options that belong to one decision only.
      const send = (client: Client) =>
        (client[name] as (id: string, words: typeof sent) => Promise<DecidedView>)(agentId, sent);
      tellDecided(io, options, await ask(connection, send), done);
    });
  }
}
