import type { DecisionInput } from '@holter/server/local';
import { Argument, type Command } from 'commander';
import { findServer, refuseAgents } from '../client/connection.ts';
import { agentOf, DECISIONS, decideAbout, ORDERED } from '../client/decide-about.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import {
  byOf,
  minutes,
  type OrderOptions,
  order,
  withDecisionOptions,
  withWait,
} from './decision-options.ts';

type DecideOptions = OrderOptions & { readonly minutes?: number; readonly checkpoint?: string };

export function registerDecide(program: Command, io: Io): void {
  withExamples(
    withDecisionOptions(
      withWait(program.command('decide'))
        .description('answer an escalation: decide what happens to the agent')
        .argument('<agent>', 'its id, or the id of the incident')
        .addArgument(new Argument('<decision>', 'your decision').choices(DECISIONS))
        .option('--minutes <n>', 'how much time (allow_more_time); 15 by default', minutes)
        .option('--checkpoint <id>', 'where to start from (recover, terminate_and_recover)'),
    ),
    [
      [
        'holter decide worker-7 acknowledge --reason "I am on it"',
        'no more notices until it needs a new decision',
      ],
      ['holter decide worker-7 allow_more_time --minutes 30 --reason "big file"', 'wait'],
      ['holter decide worker-7 force_handoff --reason "context is full"', 'hand the work to a successor'],
      [
        'holter decide worker-7 terminate_and_recover --reason "looping"',
        'stop it and restart it from its checkpoint',
      ],
      [
        'holter decide worker-7 replace --reason "its machine is gone"',
        'give up a lost agent and start another in its place',
      ],
    ],
  ).action(async (who: string, decision: DecisionInput['decision'], options: DecideOptions) => {
    refuseAgents(io, 'decide');
    const { minutes: given, checkpoint } = options;
    const more = {
      ...(given !== undefined && { minutes: given }),
      ...(checkpoint !== undefined && { checkpointId: checkpoint }),
    };
    const words = { reason: options.reason, ...byOf(io, options) };
    const connection = findServer(io, options, 'operator');
    await order(io, options, connection, agentOf(who), {
      ordered: ORDERED[decision] ?? [],
      send: () => decideAbout(connection, who, { decision, ...more, ...words }),
      done: `has your decision: ${decision}`,
    });
  });
}
