import { claudeCode, isClaude } from './claude-code.ts';
import type { Recipe, RecipeContext } from './recipe.ts';

/** `auto` goes by the name of the program; `command` watches anything as a mere process. */
export type AgentKind = 'auto' | 'claude-code' | 'command';

export const AGENT_KINDS: readonly AgentKind[] = ['auto', 'claude-code', 'command'];

export function recipeFor(kind: AgentKind, context: RecipeContext): Recipe | null {
  const isMeant = kind === 'claude-code' || (kind === 'auto' && isClaude(context.program));
  return isMeant ? claudeCode(context) : null;
}
