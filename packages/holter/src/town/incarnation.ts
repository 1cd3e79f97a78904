import type { ProcessIdentity } from '@holter/server/process';

/** One run of one process, as the files of a town name it. */
export const incarnationOf = ({ bootId, pid, startedAt }: ProcessIdentity): string =>
  `${pid}.${startedAt}.${bootId.slice(0, 8)}`.replaceAll(/\s+/g, '_');
