import type Database from 'libsql';
import type { Answer, Arguments } from '../operations.ts';
import { type StoreFault, StoreUnavailable } from '../store.ts';
import { type Connection, type ConnectionOptions, connect, openFile } from './connection.ts';
import { faultOf } from './faults.ts';
import { handlers, type WriterOperation } from './handlers.ts';
import { Seal } from './seal.ts';

/** The file is not what this server wrote: nothing is read or written any more until a restart. */
const FINAL: ReadonlySet<StoreFault> = new Set<StoreFault>(['corrupt', 'exchanged']);

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
  private refusal: StoreUnavailable | null = null;
  /** The file at the path is not the one that this session wrote to. */
  private isForeign = false;
  private readonly seal: Seal | null;

  /** `copied` is called with the copy made before a migration. */
  constructor(options: ConnectionOptions, copied: (file: string) => void) {
    this.options = options;
    this.copied = copied;
    this.seal = options.seal && new Seal(options.path);
  }

  get isLost(): boolean {
    return this.lost !== null;
  }

  async perform<Op extends WriterOperation>(operation: Op, args: Arguments<Op>): Promise<Answer<Op>> {
    if (this.lost) throw this.lost;
    if (this.refusal) throw this.refusal;
    try {
      const { db } = await this.connected();
      const handler: (typeof handlers)[Op] = handlers[operation];
      return await handler(db, ...args);
    } catch (error) {
      const fault = faultOf(error, this.options.path);
      if (!fault) throw error;
      if (this.seal && this.database !== null && FINAL.has(fault.code)) throw this.refuse(fault);
      const isPassing = this.connection !== null && PASSING.has(fault.code);
      // A file that could not be opened leaves nothing to clean up.
      if (!isPassing && this.database !== null) this.lost = fault;
      throw fault;
    }
  }

  /** Checks that the file is still the one that this server writes, and seals it anew. */
  renewSeal(): void {
    if (this.database === null || this.connection === null || this.lost || this.refusal) return;
    if (!this.connection.isSameFile()) return;
    try {
      this.seal?.renew(this.database);
    } catch (error) {
      const fault = faultOf(error, this.options.path);
      if (!fault || !FINAL.has(fault.code)) return;
      this.refuse(fault);
      this.isForeign = true;
    }
  }

  close(): void {
    if (this.isForeign) this.seal?.discardLog();
    this.database?.close();
    this.seal?.release();
  }

  private refuse(fault: StoreUnavailable): StoreUnavailable {
    const next = '; nothing is written to it any more: stop Holter, and restore a backup (docs/upgrade.md)';
    const message = `${fault.message}${this.connection ? next : ''}`;
    this.refusal = new StoreUnavailable(fault.code, message, { cause: fault });
    if (fault.code === 'corrupt') this.seal?.noteDamage();
    return this.refusal;
  }

  private async connected(): Promise<Connection> {
    // Writes to a file that was deleted or replaced would be lost.
    if (this.connection && !this.connection.isSameFile()) {
      throw new StoreUnavailable('missing', `another file, or none, is at ${this.options.path} now`);
    }
    if (this.connection) return this.connection;
    const isAccepted = this.options.seal?.isRestoreAccepted === true;
    if (this.database === null) {
      this.seal?.verify(isAccepted);
      this.database = openFile(this.options);
    }
    const connection = await connect(this.database, this.options, this.copied);
    this.seal?.begin(this.database, isAccepted);
    this.connection = connection;
    return connection;
  }
}
