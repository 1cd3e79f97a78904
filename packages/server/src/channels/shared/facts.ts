import type { AlertMessage } from './alert-message.ts';

/** An alert as a program reads it. `alertId` is the same for all notices of an alert, `key` for all tries of one. */
export const factsOf = (
  key: string,
  { decisions, ...alert }: AlertMessage,
): Readonly<Record<string, unknown>> => ({
  key,
  ...alert,
  decisions: decisions.map(({ decision }) => decision),
});
