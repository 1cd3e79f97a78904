import type { Adapter, SessionFile } from '../adapters/index.ts';
import { FileFaults, type KnownFile } from '../files/index.ts';
import type { ProcessTable } from '../processes/index.ts';

type ProcessesContext = {
  readonly adapter: Pick<Adapter, 'session'>;
  readonly env: NodeJS.ProcessEnv;
  /** Null where processes can't be inspected; the owner of a session file can't be verified then. */
  readonly table: ProcessTable | null;
  /** Called when session files become unusable or usable again. */
  readonly faulty: (faults: readonly string[]) => void;
};

/** The sessions that run on this machine, by the files that they keep about themselves. */
export class SessionProcesses {
  private readonly context: ProcessesContext;
  private readonly faults: FileFaults;
  private readonly known = new Map<string, KnownFile>();
  private living: ReadonlyMap<string, SessionFile> = new Map();

  constructor(context: ProcessesContext) {
    this.context = context;
    this.faults = new FileFaults(context.faulty);
  }

  /** As of the last look. */
  find(sessionId: string): SessionFile | null {
    return this.living.get(sessionId) ?? null;
  }

  /** Null where there is nothing to look at. */
  async look(): Promise<ReadonlyMap<string, SessionFile> | null> {
    const { adapter, table, env } = this.context;
    if (!table || !adapter.session) return null;
    const refused: string[] = [];
    this.living = await adapter.session(env, table, {
      known: this.known,
      noted: (path, answer) => {
        if (answer.kind === 'refused') refused.push(`${path} ${answer.because}`);
      },
    });
    this.note(refused);
    return this.living;
  }

  /** Three examples: an agent can make any number of such files. */
  private note(refused: readonly string[]): void {
    const more = refused.length > 3 ? `, and ${refused.length - 3} more` : '';
    const because = `can't be used: ${[...refused].sort().slice(0, 3).join('; ')}${more}`;
    const answer = refused.length > 0 ? ({ kind: 'refused', because } as const) : NONE;
    this.faults.note('session files', answer);
  }
}

const NONE = { kind: 'missing' } as const;
