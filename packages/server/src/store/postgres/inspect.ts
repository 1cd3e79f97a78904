import { Connections } from './connections.ts';
import { faultOf } from './faults.ts';

type PostgresState = {
  readonly version: string;
  /** Settings that let a failure of the machine lose commits that were acknowledged. */
  readonly unsafe: readonly string[];
};

const ANSWER_MS_MAX = 5_000;

/** Looks at a PostgreSQL database without changing anything. Throws `StoreUnavailable`. */
export async function inspectPostgres(url: string): Promise<PostgresState> {
  const connections = new Connections({ url, connectionsMax: 1, answerMsMax: ANSWER_MS_MAX });
  try {
    const { rows } = await connections.read(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
         current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit`,
    );
    const { version, ...settings } = rows[0] ?? {};
    const unsafe = Object.keys(settings).filter((name) => settings[name] === 'off');
    return { version: String(version), unsafe };
  } catch (error) {
    throw faultOf(error) ?? error;
  } finally {
    await connections.close();
  }
}
