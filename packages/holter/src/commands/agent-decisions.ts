import type { Client, DecidedView } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents } from '../client/connection.ts';
import type { Ordered } from '../client/follow-order.ts';
import { type Example, withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import {
  byOf,
  type Done,
  minutes,
  type OrderOptions,
  order,
  withDecisionOptions,
  withWait,
} from './decision-options.ts';

type AgentDecision = {
  readonly name: 'nudge' | 'terminate' | 'recover' | 'pause' | 'resume' | 'snooze' | 'wake' | 'wrong';
  readonly does: string;
  /** What is printed when the server has accepted it. */
  readonly done: Done;
  readonly examples: readonly Example[];
  readonly options?: (command: Command) => Command;
  readonly body?: (options: never) => Readonly<Record<string, unknown>>;
  /** What it has done to the agent, one after the other. */
  readonly ordered?: (options: never) => Ordered;
};

type FindingOption = { readonly finding?: string };
type CheckpointOption = { readonly checkpoint?: string };

const withFinding = (command: Command): Command =>
  command.option('--finding <kind>', 'only this kind of finding, e.g. repeated-call');
const findingOf = ({ finding }: FindingOption) => ({ ...(finding !== undefined && { finding }) });

const withCheckpoint = (command: Command): Command =>
  command.option('--checkpoint <id>', 'restart from this checkpoint and no other');
const checkpointOf = ({ checkpoint }: CheckpointOption) => ({
  ...(checkpoint !== undefined && { checkpointId: checkpoint }),
});

const decisions: readonly AgentDecision[] = [
  {
    name: 'nudge',
    does: 'send an agent a message, which it reads in its own context',
    done: 'is being nudged',
    ordered: () => ['nudge'],
    options: (command) => withWait(command).option('--message <text>', 'the message (default: the reason)'),
    body: ({ message }: { readonly message?: string }) => ({ ...(message !== undefined && { message }) }),
    examples: [['holter nudge worker-7 --reason "the build is green again"', 'the agent reads the reason']],
  },
  {
    name: 'terminate',
    does: 'stop an agent, after asking it to save its work',
    done: 'is being stopped',
    ordered: ({ recover }: { readonly recover?: boolean }) =>
      recover ? ['terminate', 'spawn'] : ['terminate'],
    options: (command) =>
      withCheckpoint(withWait(command).option('--recover', 'restart it from its newest valid checkpoint')),
    body: ({ recover, ...rest }: { readonly recover?: boolean } & CheckpointOption) => ({
      recover: recover === true,
      ...checkpointOf(rest),
    }),
    examples: [
      ['holter terminate worker-7 --reason "wrong branch"', 'stop it'],
      ['holter terminate worker-7 --recover --reason "confused"', 'stop it and restart it'],
    ],
  },
  {
    name: 'recover',
    does: 'restart an agent that has ended',
    done: 'is being restarted',
    ordered: () => ['spawn'],
    options: (command) => withCheckpoint(withWait(command)),
    body: checkpointOf,
    examples: [
      ['holter recover worker-7 --reason "fixed the disk"', 'from its newest valid checkpoint'],
      ['holter recover worker-7 --checkpoint c-12 --reason "c-13 is confused"', 'from the one you pick'],
    ],
  },
  {
    name: 'pause',
    does: 'pause monitoring of an agent until you resume it',
    done: 'is not monitored until you resume it',
    examples: [['holter pause worker-7 --reason "lunch"', 'pause monitoring']],
  },
  {
    name: 'resume',
    does: 'resume monitoring of an agent',
    done: 'is monitored again',
    examples: [['holter resume worker-7 --reason "back"', 'resume monitoring']],
  },
  {
    name: 'snooze',
    does: 'snooze an agent: findings stay visible, and nothing follows from them',
    done: 'is snoozed',
    options: (command) => withFinding(command.option('--minutes <n>', 'for how long', minutes, 30)),
    body: ({ minutes: forMinutes, ...rest }: { readonly minutes: number } & FindingOption) => ({
      minutes: forMinutes,
      ...findingOf(rest),
    }),
    examples: [
      ['holter snooze worker-7 --minutes 60 --reason "long build"', 'for an hour'],
      [
        'holter snooze worker-7 --finding unchanged-poll --reason "it waits for CI"',
        'snooze one kind of finding only',
      ],
    ],
  },
  {
    name: 'wake',
    does: 'end a snooze early',
    done: 'is no longer snoozed',
    options: (command) => withFinding(command),
    body: findingOf,
    examples: [
      ['holter wake worker-7 --reason "the build is over"', 'end the snooze'],
      [
        'holter wake worker-7 --finding unchanged-poll --reason "CI is done"',
        'end the snooze of this finding',
      ],
    ],
  },
  {
    name: 'wrong',
    does: 'mark findings as a false alarm: resets their counters and ignores them for a while; of an agent that has ended: do not restart it',
    done: ({ end }) => (end ? 'will not be restarted' : 'is marked as a false alarm; its counters are reset'),
    options: (command) => withFinding(command),
    body: findingOf,
    examples: [
      ['holter wrong worker-7 --reason "it was waiting for me"', 'every finding was a false alarm'],
      ['holter wrong worker-7 --finding repeated-call --reason "it polls"', 'only this finding was'],
    ],
  },
];

const asItIs = (command: Command): Command => command;

export function registerAgentDecisions(program: Command, io: Io): void {
  for (const { name, does, done, examples, options: more = asItIs, ...rest } of decisions) {
    const { body = () => ({}), ordered = () => [] } = rest;
    const command = withDecisionOptions(
      more(program.command(name).description(does).argument('<agent>', 'its id')),
    );
    withExamples(command, examples).action(async (agentId: string, options: OrderOptions) => {
      refuseAgents(io, name);
      const connection = findServer(io, options, 'operator');
      const sent = { reason: options.reason, ...byOf(io, options), ...body(options as never) };
      // The server's schema checks the options that belong to one decision only.
      const send = (client: Client) =>
        (client[name] as (id: string, words: typeof sent) => Promise<DecidedView>)(agentId, sent);
      await order(io, options, connection, agentId, {
        ordered: ordered(options as never),
        send: () => ask(connection, send),
        done,
      });
    });
  }
}
