import { describe } from 'vitest';
import { commitsContract } from './contract/commits.ts';
import { dueContract } from './contract/due.ts';
import { effectsContract } from './contract/effects.ts';
import { eventsContract } from './contract/events.ts';
import type { OpenStore } from './contract/kit.ts';
import { pruneContract } from './contract/prune.ts';
import { racesContract } from './contract/races.ts';
import { recordsContract } from './contract/records.ts';
import { rollupsContract } from './contract/rollups.ts';
import { softContract } from './contract/soft.ts';
import { stripsContract } from './contract/strips.ts';
import { writersContract } from './contract/writers.ts';

/** What every store must do, whatever is behind it. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, { timeout: 30_000 }, () => {
    commitsContract(open);
    softContract(open);
    dueContract(open);
    effectsContract(open);
    eventsContract(open);
    recordsContract(open);
    rollupsContract(open);
    stripsContract(open);
    pruneContract(open);
    writersContract(open);
    racesContract(open);
  });
}
