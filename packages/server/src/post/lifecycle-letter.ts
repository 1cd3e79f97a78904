import type { Agent } from '@holter/core';
import { mayDecideFor } from '../intake/index.ts';
import type { Visitor } from './box-access.ts';
import { LetterRefused, noAgent } from './letter-refused.ts';
import { boxNameOf, DAEMON } from './standing-boxes.ts';

type Content = Readonly<Record<string, unknown>>;

const LIFECYCLE = 'lifecycle';
const ACTIONS: ReadonlySet<unknown> = new Set(['cycle', 'restart', 'shutdown', 'resume']);

/**
 * A letter that asks the daemon to cycle, restart or shut down an agent is an order. It is taken only from somebody who
 * decides for this agent, and about its current start, so that the daemon obeys each verified one that is in its box.
 */
export async function checkLifecycle(
  { to, content }: { readonly to: string; readonly content: Content },
  visitor: Visitor,
  agentOf: (name: string) => Promise<Agent | null>,
): Promise<void> {
  if (to !== DAEMON || content.type !== LIFECYCLE) {
    if (visitor?.role === 'orchestrator')
      throw new LetterRefused('forbidden', 'an orchestrator writes only to the daemon, about its group');
    return;
  }
  if (visitor === null)
    throw new LetterRefused(
      'token_required',
      "the daemon obeys nobody without a token, on Holter's main port",
    );
  const { action, agent: named, incarnation } = content;
  if (!ACTIONS.has(action)) throw invalid('action', 'is cycle, restart, shutdown or resume');
  if (typeof named !== 'string' || named === '') throw invalid('agent', 'is the name of an agent');
  if (!Number.isInteger(incarnation)) throw invalid('incarnation', 'is the start of the agent that is meant');
  const agent = await agentOf(boxNameOf(named));
  if (!agent) throw noAgent(named);
  if (!mayDecideFor(visitor, agent.hard.group))
    throw new LetterRefused(
      'forbidden',
      `only an operator or the orchestrator of its group decides for ${named}`,
    );
  if (agent.hard.incarnation !== incarnation)
    throw new LetterRefused('stale_incarnation', `${named} has been started again since`);
}

const invalid = (field: string, what: string): LetterRefused =>
  new LetterRefused('invalid_lifecycle', `content.${field} ${what}`, { field: `content.${field}` });
