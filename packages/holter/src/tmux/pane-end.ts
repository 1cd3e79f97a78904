import { constants } from 'node:os';
import type { SignalBody } from '@holter/core';
import type { PaneRow } from './pane-row.ts';
import type { ScreenState } from './screen.ts';

type EndFacts = {
  /** How tmux says that the pane's command ended, if the agent was that command. */
  readonly dead: PaneRow['dead'];
  readonly lastState: ScreenState;
  readonly typedMsAgo: number | null;
  readonly loss: Loss;
};

/** Its tmux server has crashed, with all panes: `told` is the one that is told as lost, the others are lost `beside` it. */
export type Loss = 'none' | 'told' | 'beside';

/** Quitting an agent takes a person this long at most, from the last key to its end. */
const QUIT_MS = 15_000;

const GONE = {
  kind: 'process',
  state: 'gone',
  cpuMs: 0,
  ioBytes: 0,
  childrenAtWork: 0,
  memoryBytes: 0,
} as const;

/**
 * What the end of an agent's process is reported as. Its exit code is known only if it was the pane's own command.
 * In a shell it just disappears: right after a person's keys or at its prompt that is how agents are quit; in the
 * middle of its work it is lost.
 */
export function endOf({ dead, lastState, typedMsAgo, loss }: EndFacts): SignalBody {
  if (loss !== 'none') return loss === 'beside' ? { ...GONE, isPlaceGone: true } : GONE;
  const isTyped = typedMsAgo !== null && typedMsAgo < QUIT_MS;
  if (dead?.code === 0) return { kind: 'exited', code: 0 };
  if (isTyped) return { kind: 'stopped', reason: 'it ended while somebody was typing in its session' };
  if (dead) {
    const signal = dead.signal === null ? null : signalName(dead.signal);
    return { kind: 'exited', code: dead.code, ...(signal !== null && { signal }) };
  }
  if (lastState === 'idle') return { kind: 'stopped', reason: 'it ended at its prompt, with nothing to do' };
  return GONE;
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
