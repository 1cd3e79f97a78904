import type { Agent } from '@holter/core';
import type { AgentView } from './types.ts';

type End = NonNullable<Agent['hard']['end']>;

/** How it ended; of one that Holter stopped, first why. */
export const endDetail = ({ because, detail }: End): string =>
  because === undefined ? detail : `stopped by Holter: ${because} (${detail})`;

export const endView = (end: End): NonNullable<AgentView['end']> => ({
  how: end.how,
  at: end.at,
  detail: endDetail(end),
  exitCode: end.exitCode ?? null,
  signal: end.signal ?? null,
  byHolter: end.byHolter === true,
});
