import type { FileAnswer } from '../../files/index.ts';
import type { ProcessIdentity, ProcessTable } from '../../processes/index.ts';

/** The sessions that run now, by their ids, as the agent's own files list them. Files of ended processes are left out. */
export type ReadSessionFiles = (
  env: NodeJS.ProcessEnv,
  table: ProcessTable,
  /** Told of each file, by its path, whether it could be used. */
  noted?: (path: string, answer: FileAnswer<unknown>) => void,
) => Promise<ReadonlyMap<string, SessionFile>>;

export type SessionFile = {
  readonly sessionId: string;
  readonly process: ProcessIdentity;
  /** Null is anything else, and means hands off. */
  readonly status: 'idle' | 'busy' | 'waiting' | null;
};
