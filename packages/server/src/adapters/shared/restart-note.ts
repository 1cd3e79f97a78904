import type { RestartFacts } from './recipe.ts';

/**
 * What a successor is told: Holter's own facts and an operator's words, never what the agent or its tools wrote,
 * because what an agent read must not come back to it with more authority. Facts, not orders: those are taken for an
 * injection.
 */
export function restartNote({ attempt, cause, orderReason }: RestartFacts): string {
  const what = causeInWords(cause);
  const words = orderReason ? `; in its operator's words: ${quoted(orderReason)}` : '';
  return (
    `Holter: this work was interrupted (${what}${words}) and goes on here; it is start ${attempt + 1}. ` +
    'A tool call that was under way was cut short, and its processes were ended. ' +
    'The files are as they were left. What led to the interruption has not helped so far; ' +
    'the task itself is still open.'
  );
}

/** Why a command was stopped, for a variable or an argument: the words of its operator, else the cause. */
export const restartReason = ({ cause, orderReason }: Omit<RestartFacts, 'attempt'>): string =>
  oneLine(orderReason || causeInWords(cause)).slice(0, REASON_LENGTH_MAX);

const REASON_LENGTH_MAX = 500;

const causeInWords = (cause: string | null): string => (cause !== null && reasons[cause]) || 'it was stopped';

const oneLine = (text: string): string => text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();

/** On one line and in one pair of quotes, so that it is plain where the words end. */
const quoted = (text: string): string => `"${oneLine(text).replaceAll('"', "'")}"`;

const reasons: Readonly<Record<string, string>> = {
  'process-gone': 'its process ended before the work was done',
  silent: 'nothing was heard of it for too long',
  frozen: 'it had stopped moving',
  'repeated-call': 'the same call was made again and again with the same result',
  'call-cycle': 'the same few calls were made in turn again and again',
  'same-error': 'the same error came back again and again',
  'near-duplicate': 'variations of one call found nothing new',
  'limit-exceeded': 'a limit was reached',
  budget: 'a budget was used up',
};
