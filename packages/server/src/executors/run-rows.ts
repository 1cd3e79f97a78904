import { metaJson, readMetaJson } from '../store/meta-json.ts';
import type { Store } from '../store/store.ts';
import type { RunRecord } from './run-record.ts';

/** One row per run, because several servers may have runs. */
const PREFIX = 'executors/run/';
/** The single row in which earlier versions kept all runs. */
const OLD_ROW = 'executors/runs';
/** Of a row. */
const VERSION = 1;

/** A run, and the server that it presented itself to; null in rows of earlier versions. */
type StoredRun = { readonly record: RunRecord; readonly server: string | null };

/** The runs as they are stored, in the order in which this server has changed them. */
export class RunRows {
  private readonly store: Pick<Store, 'getMeta' | 'putMeta' | 'swapMeta' | 'listMeta'>;
  private readonly server: string;
  /** Rows as this server last wrote or read them. */
  private readonly known = new Map<string, string>();
  private writing: Promise<void> = Promise.resolve();

  constructor(store: RunRows['store'], server: string) {
    this.store = store;
    this.server = server;
  }

  async convertOld(): Promise<void> {
    const old = await this.store.getMeta(OLD_ROW);
    if (old === null) return;
    for (const record of JSON.parse(old) as RunRecord[]) await this.save(record);
    await this.store.swapMeta(OLD_ROW, old, null);
  }

  async list(): Promise<readonly StoredRun[]> {
    await this.writing;
    return (await this.store.listMeta(PREFIX)).map(({ value }) => this.read(value));
  }

  async find(executorId: string): Promise<RunRecord | null> {
    await this.writing;
    const value = await this.store.getMeta(PREFIX + executorId);
    return value === null ? null : this.read(value).record;
  }

  /** The server that the run is connected to; null if it is not known. */
  async serverOf(executorId: string): Promise<string | null> {
    await this.writing;
    const value = await this.store.getMeta(PREFIX + executorId);
    return value === null ? null : this.read(value).server;
  }

  /** The run is connected to this server. */
  save(record: RunRecord): Promise<void> {
    return this.inOrder(async () => {
      const value = this.valueOf(record);
      this.known.set(record.executorId, value);
      await this.store.putMeta(PREFIX + record.executorId, value);
    });
  }

  /** This server looks after the run from now on. False when another one does. */
  async take(record: RunRecord): Promise<boolean> {
    await this.writing;
    const value = this.valueOf(record);
    const known = this.known.get(record.executorId) ?? null;
    const isTaken = await this.store.swapMeta(PREFIX + record.executorId, known, value);
    if (isTaken) this.known.set(record.executorId, value);
    return isTaken;
  }

  /** Fails silently if the run has presented itself to another server meanwhile. */
  delete(executorId: string): Promise<void> {
    return this.inOrder(() =>
      this.store.swapMeta(PREFIX + executorId, this.known.get(executorId) ?? null, null),
    );
  }

  private valueOf(record: RunRecord): string {
    return metaJson(VERSION, { ...record, server: this.server });
  }

  private read(value: string): StoredRun {
    const run = parse(value);
    this.known.set(run.record.executorId, value);
    return run;
  }

  private inOrder(write: () => Promise<unknown>): Promise<void> {
    const written = this.writing.then(write).then(() => undefined);
    this.writing = written.catch(() => undefined);
    return written;
  }
}

function parse(value: string): StoredRun {
  const { server = null, ...record } = readMetaJson<RunRecord & { readonly server?: string }>(
    value,
    VERSION,
    'the row of a run',
  );
  return { record, server };
}

/** The run with this executor, whichever server it is connected to. */
export async function findRun(store: Pick<Store, 'getMeta'>, executorId: string): Promise<RunRecord | null> {
  const value = await store.getMeta(PREFIX + executorId);
  return value === null ? null : parse(value).record;
}
