import { type Agent, type Policy, retell } from '@holter/core';
import { patienceInForce, policyOfAgent } from '../../policy/index.ts';
import type { AgentListing } from '../agent-listing.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import type { EventStreams } from '../event-streams.ts';
import type { FleetBook } from '../fleet/fleet-book.ts';
import type { LimitHits } from '../limit-hits.ts';
import type { Metrics } from '../metrics.ts';
import type { StreamPlaces } from '../stream-places.ts';
import type { TokenBook } from '../tokens.ts';
import type { AgentView } from '../types.ts';
import { agentView } from '../views.ts';

/** What the routes share. */
export type HttpContext = {
  readonly deps: HttpDeps;
  readonly limits: HttpLimits;
  readonly tokens: TokenBook;
  readonly metrics: Metrics;
  readonly streams: EventStreams;
  readonly places: StreamPlaces;
  readonly hits: LimitHits;
  readonly fleet: FleetBook;
  readonly listing: AgentListing;
};

export function viewOf(
  { engine, intake, clock }: HttpDeps,
  agent: Agent,
  checkpoints: NonNullable<AgentView['ready']>['checkpoints'] = null,
): AgentView {
  const { executor, patience } = agent.hard;
  const policy = policyOf(engine, agent);
  const inForce = patience ? patienceInForce(engine.currentPolicies, agent.hard, patience) : {};
  const now = clock.now();
  const shown = retell(agent, now, engine.stalls, policy);
  return agentView(shown, policy, now, {
    isStarterGone: engine.isStarterGone(executor),
    executor: engine.executorState(executor),
    inForce,
    checkpoints,
    clockSkewMs: intake.clockSkews.of(agent.hard.agentId),
  });
}

export const policyOf = ({ currentPolicies }: HttpDeps['engine'], { hard }: Agent): Policy =>
  policyOfAgent(currentPolicies, hard);
