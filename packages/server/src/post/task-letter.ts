import type { SignalBody } from '@holter/core';

type Content = Readonly<Record<string, unknown>>;
type TaskSignal = Extract<SignalBody, { kind: 'task-updated' | 'task-ended' }>;

const TASK_ID_LENGTH_MAX = 256;
const NOTE_LENGTH_MAX = 1_000;

/** The states that end a task, in the words that agents use. */
const OUTCOMES: Readonly<Record<string, 'done' | 'failed' | 'cancelled'>> = {
  done: 'done',
  completed: 'done',
  complete: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
};

const CANNOT_CONTINUE: ReadonlySet<unknown> = new Set([
  'cannot_continue',
  'cannot-continue',
  'cannot continue',
]);

/**
 * What a letter to Holter says about a task. Seed 001 prints no answer to its status inquiry; these are the fields of
 * its tracking file, in the letter's content. Any word about a task explains its delay.
 */
export function taskSignalOf(content: Content, inquiry: Content | null): TaskSignal | null {
  const taskId = content.task_id ?? inquiry?.task_id;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > TASK_ID_LENGTH_MAX) return null;
  const { status, progress_percentage: percent, message } = content;
  const word = typeof status === 'string' ? status.toLowerCase() : '';
  const outcome = Object.hasOwn(OUTCOMES, word) ? OUTCOMES[word] : undefined;
  if (outcome) return { kind: 'task-ended', taskId, outcome };
  const isPercent = typeof percent === 'number' && percent >= 0 && percent <= 100;
  const saysNo = CANNOT_CONTINUE.has(word);
  return {
    kind: 'task-updated',
    taskId,
    ...(isPercent && { percent }),
    ...(typeof message === 'string' && { note: message.slice(0, NOTE_LENGTH_MAX) }),
    ...((saysNo || content.cannot_continue === true) && { cannotContinue: true }),
  };
}
