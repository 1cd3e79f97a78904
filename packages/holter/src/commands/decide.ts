import type { DecidedView, DecisionInput } from '@holter/server/local';
import { Argument, type Command } from 'commander';
import { ask } from '../client/ask.ts';
import { type Connection, findServer, refuseAgents } from '../client/connection.ts';
import type { Ordered } from '../client/follow-order.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import {
  byOf,
  type DecisionOptions,
  minutes,
  type OrderOptions,
  order,
  withDecisionOptions,
  withWait,
} from './decision-options.ts';

type DecideOptions = OrderOptions & { readonly minutes?: number; readonly checkpoint?: string };

const decisions = [
  'acknowledge',
  'allow_more_time',
  'force_handoff',
  'terminate_and_recover',
  'terminate',
  'recover',
  'replace',
] as const;

export function registerDecide(program: Command, io: Io): void {
  withExamples(
    withDecisionOptions(
      withWait(program.command('decide'))
        .description('answer an escalation: decide what happens to the agent')
        .argument('<agent>', 'its id, or the id of the incident')
        .addArgument(new Argument('<decision>', 'your decision').choices(decisions))
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
    const connection = findServer(io, options, 'operator');
    await order(io, options, connection, agentOf(who), {
      ordered: ORDERED[decision] ?? [],
      send: () => decide(io, options, connection, who, { decision, ...more }),
      done: `has your decision: ${decision}`,
    });
  });
}

/** What is done to the agent at once; a handoff gets its time first. */
const ORDERED: Readonly<Partial<Record<DecisionInput['decision'], Ordered>>> = {
  terminate: ['terminate'],
  terminate_and_recover: ['terminate', 'spawn'],
  recover: ['spawn'],
  replace: ['spawn'],
};

/** The id of an incident is that of its agent and a number. */
const agentOf = (who: string): string => who.replace(/\/\d+$/, '');

async function decide(
  io: Io,
  options: DecisionOptions,
  connection: Connection,
  who: string,
  decision: Pick<DecisionInput, 'decision' | 'minutes' | 'checkpointId'>,
): Promise<DecidedView> {
  const words = { reason: options.reason, ...byOf(io, options) };
  // The one of these decisions that needs no incident and has no command of its own.
  if (decision.decision === 'force_handoff' && !who.includes('/'))
    return ask(connection, (client) => client.forceHandoff(who, words));
  const incidentId = who.includes('/') ? who : await openIncidentOf(connection, who);
  const body = { ...decision, ...words };
  return ask(connection, (client) => client.decide(incidentId, body));
}

async function openIncidentOf(connection: Connection, agentId: string): Promise<string> {
  const agent = await ask(connection, (client) => client.agent(agentId));
  if (agent.incident) return agent.incident.incidentId;
  throw new CliFailure(
    `${agentId} has no open incident, so there is nothing to decide (it is ${agent.state})`,
    `snooze it: holter snooze ${agentId}    or stop it: holter terminate ${agentId}`,
  );
}
