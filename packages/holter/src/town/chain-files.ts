import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** What the chain of a town keeps in the data folder, because agents may write to the folder of the town. */
type ChainFiles = {
  /** The daemon's own records. */
  readonly book: string;
  /** Which process was started last as the Deacon. */
  readonly deacon: string;
  /** The same for an agent of the town. */
  readonly member: (name: string) => string;
};

export function chainFiles(data: string, townPath: string): ChainFiles {
  const town = hashOf(townPath);
  return {
    book: join(data, 'chains', `${town}.db`),
    deacon: join(data, 'deacons', `${town}.json`),
    member: (name) => join(data, 'members', `${town}-${hashOf(name)}.json`),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
