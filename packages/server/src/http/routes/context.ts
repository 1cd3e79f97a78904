import type { Agent } from '@holter/core';
import { policyFor } from '../../policy/index.ts';
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
};

export function viewOf({ engine, clock }: HttpDeps, agent: Agent): AgentView {
  const { role, agentId, group, executor } = agent.hard;
  const policy = policyFor(engine.currentPolicies, role, agentId, group);
  return agentView(agent, policy, clock.now(), engine.isStarterGone(executor));
}
