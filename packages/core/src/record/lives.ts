import type { Life } from '../vocabulary/effect.ts';
import { lifeOfFleet, lifeOfIncident, lifeOfNudge, lifeOfStart } from '../vocabulary/effect.ts';
import type { Hard } from './agent.ts';

/** The lives that effects about this agent may have now; see `Life`. */
export const openLives = ({ agentId, incarnation, end, incident, group }: Hard): readonly Life[] => [
  ...(incident ? [lifeOfIncident(incident.id)] : []),
  ...(incident?.step === 'nudge' ? [lifeOfNudge(incident)] : []),
  ...(end ? [] : [lifeOfStart(agentId, incarnation)]),
  lifeOfFleet(group),
];
