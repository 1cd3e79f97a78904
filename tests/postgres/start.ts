/** A PostgreSQL of its own, which ends with this process. */
export type TestPostgres = {
  readonly folder: string;
  readonly port: number;
  /** The process that all others of this PostgreSQL descend from. */
  readonly pid: number;
  readonly url: (database?: string) => string;
  /** After `stop`: again, with the same data. */
  readonly start: () => Promise<boolean>;
  readonly stop: (how?: 'INT' | 'QUIT' | 'KILL') => Promise<void>;
  readonly dispose: () => Promise<void>;
  readonly log: () => string;
};

const script = (await import('../../scripts/postgres.mjs' as string)) as {
  readonly startPostgres: (options?: { readonly isDurable?: boolean }) => Promise<TestPostgres | null>;
};

export const { startPostgres } = script;
