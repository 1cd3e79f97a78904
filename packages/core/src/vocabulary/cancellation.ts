/** Why an effect is not carried out any more, by code; the text is for people and for the record. */
const CANCELLATIONS = {
  over: 'what it was for is over',
  'out-of-date': 'out of date',
  superseded: 'it was superseded',
  'reason-gone': 'the reason is gone',
  'evidence-gone': 'the evidence does not hold any more',
  'not-watched': 'Holter was not watching for a while, and the agent may have moved on',
  'called-off': 'it was called off',
  'agent-ended': 'it has ended already',
  'agent-running': 'it is running',
  'task-ended': 'its task has ended',
  'checkpoint-changed': 'the checkpoint that was picked is not what it was',
  'no-key': 'it has no key',
} as const;

type WordedCode = keyof typeof CANCELLATIONS;
export type CancellationCode = WordedCode | 'acknowledged';
export type Cancellation = { readonly code: CancellationCode; readonly because: string };

export const cancellation = (code: WordedCode): Cancellation => ({ code, because: CANCELLATIONS[code] });

export const acknowledgedBy = (who: string): Cancellation => ({
  code: 'acknowledged',
  because: `${who} has acknowledged it`,
});
