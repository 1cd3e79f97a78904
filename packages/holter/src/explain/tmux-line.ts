import type { AgentView } from '@holter/server/local';
import { hasEnded, isWaitingForPerson, isWrong, stateWord } from './state-order.ts';

const NAMES_MAX = 3;

/** The agents in one line, with tmux's own marks for colours. Names of agents have no character that tmux reads. */
export function tmuxLine(agents: readonly AgentView[]): string {
  const running = agents.filter((agent) => !hasEnded(agent));
  if (running.length === 0) return 'no agents';
  const counts = new Map<string, { readonly isWrong: boolean; count: number }>();
  for (const agent of running) {
    const word = stateWord(agent);
    const entry = counts.get(word) ?? { isWrong: isWrong(agent), count: 0 };
    entry.count += 1;
    counts.set(word, entry);
  }
  const parts = [...counts].map(([word, entry]) => {
    const text = `${entry.count} ${word}`;
    return entry.isWrong ? `#[fg=red,bold]${text}#[default]` : text;
  });
  const names = running.filter(isWaitingForPerson).map(({ agentId }) => agentId);
  const more = names.length > NAMES_MAX ? ', …' : '';
  const waiting =
    names.length === 0 ? [] : [`waiting for you: ${names.slice(0, NAMES_MAX).join(', ')}${more}`];
  return [parts.join(', '), ...waiting].join(' | ');
}
