import type { AgentView, HealthView } from '@holter/server/local';
import { counted } from '../terminal/words.ts';
import { hasEnded, isWaitingForPerson, isWrong, stateWord } from './state-order.ts';

const NAMES_MAX = 3;

type OwnHealth = Pick<HealthView, 'estop' | 'troubles'>;

/**
 * What is wrong with Holter itself, and the agents, in one line with tmux's own marks for colours. Names of agents have
 * no character that tmux reads; longer texts are left to `holter status`.
 */
export const tmuxLine = (agents: readonly AgentView[], own: OwnHealth): string =>
  [...ownParts(own), ...agentParts(agents)].join(' | ');

function ownParts({ estop, troubles }: OwnHealth): readonly string[] {
  const count = troubles.filter(({ kind }) => kind !== 'estop').length;
  return [
    ...(estop ? [marked('estop')] : []),
    ...(count > 0 ? [marked(`holter: ${counted(count, 'problem')}`)] : []),
  ];
}

const marked = (text: string): string => `#[fg=red,bold]${text}#[default]`;

function agentParts(agents: readonly AgentView[]): readonly string[] {
  const running = agents.filter((agent) => !hasEnded(agent));
  if (running.length === 0) return ['no agents'];
  const counts = new Map<string, { readonly isWrong: boolean; count: number }>();
  for (const agent of running) {
    const word = stateWord(agent);
    const entry = counts.get(word) ?? { isWrong: isWrong(agent), count: 0 };
    entry.count += 1;
    counts.set(word, entry);
  }
  const parts = [...counts].map(([word, entry]) => {
    const text = `${entry.count} ${word}`;
    return entry.isWrong ? marked(text) : text;
  });
  const names = running.filter(isWaitingForPerson).map(({ agentId }) => agentId);
  const more = names.length > NAMES_MAX ? ', …' : '';
  const waiting =
    names.length === 0 ? [] : [`waiting for you: ${names.slice(0, NAMES_MAX).join(', ')}${more}`];
  return [parts.join(', '), ...waiting];
}
