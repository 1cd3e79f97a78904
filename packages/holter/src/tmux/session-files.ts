import type { Adapter, SessionFile } from '@holter/server/adapters';
import { type Clock, FileFaults, type KnownFile, type ProcessTable } from '@holter/server/process';
import type { FoundAgent } from './find-agent.ts';

type Reading = { readonly at: number; readonly files: Promise<ReadonlyMap<string, SessionFile>> };

const FRESH_MS = 1_000;

/** What agents write about their own sessions. One reading serves all panes whose agents keep them in one place. */
export class SessionFiles {
  private readonly table: ProcessTable;
  private readonly clock: Clock;
  private readonly readings = new Map<string, Reading>();
  private readonly known = new Map<string, Map<string, KnownFile>>();
  private readonly faults: FileFaults;

  /** `say` is told of files that can't be used, when that changes. */
  constructor(table: ProcessTable, clock: Clock, say: (line: string) => void = () => undefined) {
    this.table = table;
    this.clock = clock;
    this.faults = new FileFaults((faults) => {
      if (faults.length > 0) say(faults.join('; '));
    });
  }

  /** Null if it has not written any; undefined for an agent that never does. */
  async of({ adapter, env, process }: FoundAgent): Promise<SessionFile | null | undefined> {
    if (!adapter.session) return undefined;
    const files = await this.read(adapter, adapter.session, env);
    for (const file of files.values())
      if (file.process.pid === process.pid && file.process.startedAt === process.startedAt) return file;
    return null;
  }

  private read(
    { name }: Adapter,
    session: NonNullable<Adapter['session']>,
    env: FoundAgent['env'],
  ): Reading['files'] {
    // An agent's folder is found by its home, or by a variable that names it.
    const places = Object.entries(env).filter(([variable]) => /(?:HOME|_DIR)$/.test(variable));
    const place = JSON.stringify([name, places.sort()]);
    const last = this.readings.get(place);
    if (last && this.clock.now() - last.at < FRESH_MS) return last.files;
    const known = this.known.get(place) ?? new Map<string, KnownFile>();
    this.known.set(place, known);
    const files = session(env, this.table, {
      known,
      noted: (path, answer) => this.faults.note(path, answer),
    });
    this.readings.set(place, { at: this.clock.now(), files });
    return files;
  }
}
