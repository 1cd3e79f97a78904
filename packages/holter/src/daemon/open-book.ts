import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DaemonSettings } from '@holter/core';
import { defaultPolicies, policyFor } from '@holter/server/policy';
import { realDice } from '@holter/server/process';
import { chainFiles } from '../town/chain-files.ts';
import type { Town } from '../town/town.ts';
import { ChainBook } from './chain-book.ts';

type BookPlace = {
  readonly town: Town;
  /** The data folder of the server. */
  readonly data: string;
  readonly say: (line: string) => void;
};

export const withChainPolicy = (settings: Pick<DaemonSettings, 'tickMs' | 'limits'>): DaemonSettings => ({
  ...settings,
  policy: policyFor(defaultPolicies, 'chain', 'server', 'chain'),
});

/** The records of a town's chain; whoever opens them holds the lock of its daemon. */
export function openBook({ town, data, say }: BookPlace, settings: DaemonSettings): Promise<ChainBook> {
  const { book: file } = chainFiles(data, town.path);
  // Earlier versions kept it in the town, where any agent could have written it.
  const old = join(town.daemonFolder, 'chain.db');
  if (!existsSync(file) && existsSync(old))
    say(`${old} is not used any more, and new records begin: what was shut down has to be shut down again`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return ChainBook.open(file, settings, realDice.newId);
}
