import { describe } from 'vitest';
import { commitsContract } from './commits.ts';
import { dueContract } from './due.ts';
import { effectsContract } from './effects.ts';
import { eventsContract } from './events.ts';
import type { OpenStore } from './kit.ts';
import { lettersContract } from './letters.ts';
import { pruneContract } from './prune.ts';
import { racesContract } from './races.ts';
import { recordsContract } from './records.ts';
import { rollupsContract } from './rollups.ts';
import { softContract } from './soft.ts';
import { spendingContract } from './spending.ts';
import { stripsContract } from './strips.ts';
import { writersContract } from './writers.ts';

/** The contract that every store must meet. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, { timeout: 30_000 }, () => {
    commitsContract(open);
    softContract(open);
    dueContract(open);
    effectsContract(open);
    eventsContract(open);
    recordsContract(open);
    rollupsContract(open);
    spendingContract(open);
    stripsContract(open);
    lettersContract(open);
    pruneContract(open);
    writersContract(open);
    racesContract(open);
  });
}
