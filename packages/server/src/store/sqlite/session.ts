import type Database from 'libsql';
import type { Answer, Arguments } from '../operations.ts';
import { type StoreFault, StoreUnavailable } from '../store.ts';
import { type Connection, type ConnectionOptions, connect, openFile } from './connection.ts';
import { faultOf } from './faults.ts';
import { handlers, type WriterOperation } from './handlers.ts';

/** Temporary faults, after which the connection is still usable. */
const PASSING: ReadonlySet<StoreFault> = new Set<StoreFault>(['disk_full', 'locked', 'older']);

/**
 * One open connection to the database. A full disk or a lock held elsewhere is temporary. After any other fault
 * the session is lost: libsql releases a file only when its statements are garbage-collected or the thread ends,
 * and a stale connection that is collected later deletes the write-ahead log of the file that has its path by
 * then. So a lost session ends its thread, and the next one opens the file again.
 */
export class Session {
  private readonly options: ConnectionOptions;
  private readonly copied: (file: string) => void;
  private database: Database.Database | null = null;
  private connection: Connection | null = null;
  private lost: StoreUnavailable | null = null;

  /** `copied` is called with the copy made before a migration. */
  constructor(options: ConnectionOptions, copied: (file: string) => void) {
    this.options = options;
    this.copied = copied;
  }

  get isLost(): boolean {
    return this.lost !== null;
  }

  async perform<Op extends WriterOperation>(operation: Op, args: Arguments<Op>): Promise<Answer<Op>> {
    if (this.lost) throw this.lost;
    try {
      const { db } = await this.connected();
      const handler: (typeof handlers)[Op] = handlers[operation];
      return await handler(db, ...args);
    } catch (error) {
      const fault = faultOf(error, this.options.path);
      if (!fault) throw error;
      const isPassing = this.connection !== null && PASSING.has(fault.code);
      // A file that could not be opened leaves nothing to clean up.
      if (!isPassing && this.database !== null) this.lost = fault;
      throw fault;
    }
  }

  close(): void {
    this.database?.close();
  }

  private async connected(): Promise<Connection> {
    // Writes to a file that was deleted or replaced would be lost.
    if (this.connection && !this.connection.isSameFile()) {
      throw new StoreUnavailable('missing', `another file, or none, is at ${this.options.path} now`);
    }
    this.database ??= openFile(this.options);
    this.connection ??= await connect(this.database, this.options, this.copied);
    return this.connection;
  }
}
