import type { FileAnswer, KnownFile } from '../../files/index.ts';
import type { ProcessIdentity, ProcessTable } from '../../processes/index.ts';

/** The sessions that run now, by their ids, as the agent's own files list them. Files of ended processes are left out. */
export type ReadSessionFiles = (
  env: NodeJS.ProcessEnv,
  table: ProcessTable,
  options?: {
    /** Told of each file, by its path, whether it could be used. */
    readonly noted?: (path: string, answer: FileAnswer<unknown>) => void;
    /** What was read last, by path: files that have not changed are not read again. */
    readonly known?: Map<string, KnownFile>;
  },
) => Promise<ReadonlyMap<string, SessionFile>>;

export type SessionFile = {
  readonly sessionId: string;
  readonly process: ProcessIdentity;
  /** Null is anything else, and means hands off. */
  readonly status: 'idle' | 'busy' | 'waiting' | null;
};
