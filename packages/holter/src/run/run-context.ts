import type { Clock, DataFolder, ProcessTable, RunRecord } from '@holter/server/process';
import type { Terminal } from './child.ts';
import type { RunOptions } from './options.ts';
import type { Plan } from './plan.ts';
import type { ServerLink } from './server-link.ts';
import type { DirectoryRequest } from './working-directory.ts';

/** What the process provides to a run. */
export type RunContext = {
  readonly options: RunOptions;
  readonly plan: Plan;
  /** What the working directory asks for. */
  readonly directory: DirectoryRequest | null;
  readonly terminal: Terminal;
  readonly link: ServerLink;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly hostId: string;
  readonly run: RunRecord['run'];
  readonly env: NodeJS.ProcessEnv;
  readonly newId: () => string;
  readonly sha256: (text: string) => string;
  readonly say: (line: string) => void;
  /** Told of the process of each start. */
  readonly started: (pid: number) => void;
};
