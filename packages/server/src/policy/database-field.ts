import { bad, type Field, ok } from './check.ts';
import { ADDRESS_FORM, databaseAddress, hasPassword } from './database-address.ts';

/** The messages do not repeat what was written: it may contain a password. */
export const databaseField: Field<string> = {
  takes: 'sqlite, or the address of a PostgreSQL database without a password',
  read: (raw, path) => {
    if (typeof raw !== 'string' || databaseAddress(raw) === null) return bad(path, `must be ${ADDRESS_FORM}`);
    return hasPassword(raw)
      ? bad(path, 'must not contain a password: put it into ~/.pgpass, PGPASSWORD or HOLTER_DATABASE')
      : ok(raw);
  },
  show: (value) => value,
};
