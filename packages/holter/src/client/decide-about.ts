import type { DecidedView, DecisionInput } from '@holter/server/local';
import { CliFailure } from '../terminal/failure.ts';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';
import type { Ordered } from './follow-order.ts';

/** What may be decided about an incident by name of its agent, in the order of the help. */
export const DECISIONS = [
  'acknowledge',
  'allow_more_time',
  'force_handoff',
  'terminate_and_recover',
  'terminate',
  'recover',
  'replace',
] as const;

/** What is done to the agent at once; after a handoff was asked for, the agent has its time. */
export const ORDERED: Readonly<Partial<Record<DecisionInput['decision'], Ordered>>> = {
  force_handoff: ['request-handoff'],
  terminate: ['terminate'],
  terminate_and_recover: ['terminate', 'spawn'],
  recover: ['spawn'],
  replace: ['spawn'],
};

/** The id of an incident is that of its agent and a number. */
export const agentOf = (who: string): string => who.replace(/\/\d+$/, '');

/** Decides about an incident, or about the open incident of an agent. */
export async function decideAbout(
  connection: Connection,
  who: string,
  body: DecisionInput,
): Promise<DecidedView> {
  // The one of these decisions that needs no incident and has no command of its own.
  if (body.decision === 'force_handoff' && !who.includes('/')) {
    const { reason, by } = body;
    return ask(connection, (client) => client.forceHandoff(who, { reason, ...(by !== undefined && { by }) }));
  }
  const incidentId = who.includes('/') ? who : await openIncidentOf(connection, who);
  return ask(connection, (client) => client.decide(incidentId, body));
}

async function openIncidentOf(connection: Connection, agentId: string): Promise<string> {
  const agent = await ask(connection, (client) => client.agent(agentId));
  if (agent.incident) return agent.incident.incidentId;
  const { allow_more_time: snooze, terminate, recover } = agent.decisions;
  const next = [
    ...(snooze === null ? [`snooze it: holter snooze ${agentId}`] : []),
    ...(terminate === null ? [`stop it: holter terminate ${agentId}`] : []),
    ...(recover === null ? [`restart it: holter recover ${agentId}`] : []),
  ];
  throw new CliFailure(
    `${agentId} has no open incident, so there is nothing to decide (it ${agent.end ? 'has ended' : `is ${agent.state}`})`,
    next.length === 0 ? null : next.join('    or '),
  );
}
