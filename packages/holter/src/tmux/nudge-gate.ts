import type { SessionFile } from '@holter/server/adapters';
import type { PaneRow } from './pane-row.ts';
import type { Screen } from './screen.ts';

/** Everything that a nudge by keys depends on, as of one look. */
export type NudgeFacts = {
  readonly pane: Pick<PaneRow, 'dead' | 'isInMode' | 'isSynchronized' | 'hasControlTerminal'> | null;
  readonly screen: Screen;
  /** What its own file says; undefined for an agent that keeps none. */
  readonly status: SessionFile['status'] | undefined;
  /** Since a person last pressed a key in a session that shows it; null if none is attached. */
  readonly typedMsAgo: number | null;
  /** It hangs at its model, and may be interrupted: that it works is no reason to wait then. */
  readonly mayInterrupt: boolean;
};

/** A person who thinks about the next word still types. */
export const TYPED_LATELY_MS = 30_000;

/**
 * Why a nudge has to wait; null if its text may be pasted now. Keys at a permission prompt would answer it, and keys
 * beside those of a person would mix with them, so everything that is not known to be an empty prompt waits.
 */
export function whyNotNudge({ pane, screen, status, typedMsAgo, mayInterrupt }: NudgeFacts): string | null {
  if (!pane || pane.dead) return 'its pane is dead';
  if (pane.isInMode) return 'its pane is in copy mode';
  if (pane.isSynchronized) return 'what is typed here would go to other panes too';
  if (screen.state === 'asking' || status === 'waiting') return 'it is asking for a decision';
  if (typedMsAgo !== null && typedMsAgo < TYPED_LATELY_MS) return 'somebody is typing in its session';
  if (pane.hasControlTerminal) return 'a terminal in control mode shows it, and somebody may be typing there';
  if (!mayInterrupt && (screen.state === 'busy' || status === 'busy')) return 'it is working';
  if (screen.state === 'unknown') return 'its screen is not understood';
  if (status === null) return 'it does not say whether it is asking';
  if (screen.typed === null) return 'its prompt is not known';
  if (screen.typed !== '') return 'text that was not sent stands at its prompt';
  return null;
}

/** Long enough to recognise a text at a prompt that cuts or wraps it. */
const RECOGNISED = 16;

/** Whether this text, and only this, stands at the prompt, so that Enter sends it. */
export function isAtPrompt(screen: Screen, text: string): boolean {
  if (screen.state === 'asking' || screen.typed === null) return false;
  return screen.typed.startsWith(text.slice(0, RECOGNISED)) || screen.typed.startsWith('[Pasted text');
}

/** What is seen of an agent after Enter. */
export type SentFacts = {
  readonly screen: Screen;
  /** Whether an agent may still run in its pane. */
  readonly isOpen: boolean;
  /** It was busy before, so that being busy says nothing about this text. */
  readonly wasBusy: boolean;
};

/** Why it is not certain that the agent has taken this text; null if it has. */
export function whyNotSent({ screen, isOpen, wasBusy }: SentFacts, text: string): string | null {
  if (!isOpen) return 'its pane is dead';
  if (isAtPrompt(screen, text)) return 'it still stands at the prompt';
  if (screen.state === 'asking') return 'it asks for a decision now';
  if (screen.state === 'unknown') return 'its screen is not understood';
  const hasTaken = screen.typed === '' || (screen.state === 'busy' && !wasBusy);
  return hasTaken ? null : 'its prompt was not seen empty again';
}
