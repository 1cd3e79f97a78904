import type { Life } from '../vocabulary/effect.ts';
import { lifeOfFleet, lifeOfIncident, lifeOfStart } from '../vocabulary/effect.ts';
import type { Hard } from './agent.ts';

/** What effects about this agent may live by now. */
export const openLives = ({ agentId, incarnation, end, incident, group }: Hard): readonly Life[] => [
  ...(incident ? [lifeOfIncident(incident.id)] : []),
  ...(end ? [] : [lifeOfStart(agentId, incarnation)]),
  lifeOfFleet(group),
];
