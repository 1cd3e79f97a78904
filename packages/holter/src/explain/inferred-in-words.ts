import type { AgentView } from '@holter/server/local';

export const inferredInWords = ({ promise, everySeconds, from }: AgentView['inferred'][number]): string =>
  `${everySeconds === null ? promise : `a beat every ${everySeconds} s`} (from ${from})`;
