import { ADDRESS_FORM, type DatabaseAddress, databaseAddress } from '@holter/server/config';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { load } from './config.ts';

/** Where the data of a server that is started here would be. */
export function databaseHere(io: Io, flag: string | undefined): DatabaseAddress {
  const loaded = load(io, undefined);
  const inConfig = loaded.kind === 'loaded' ? loaded.config.database : 'sqlite';
  const address = databaseAddress(flag ?? inConfig);
  if (address) return address;
  throw new CliFailure(`the address of the database must be ${ADDRESS_FORM}`, null, EXIT.usage);
}
