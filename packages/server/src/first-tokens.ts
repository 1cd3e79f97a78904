import { type DataFolder, FIRST_ROLES, type FirstRole } from './data-folder.ts';
import type { Clock } from './engine/clock.ts';
import type { Store } from './store/store.ts';

type TokenContext = {
  readonly store: Pick<Store, 'findToken' | 'putToken'>;
  readonly clock: Clock;
  readonly sha256: (text: string) => string;
  readonly newSecret: () => string;
  readonly newId: () => string;
};

/**
 * The first start makes one token of each kind. The store keeps hashes only; the copies in the data folder
 * are the command line's own. Whoever may read that folder is the operator, so a copy that is lost, revoked
 * or of another database is simply made anew.
 */
export async function ensureFirstTokens(
  folder: DataFolder,
  { store, clock, sha256, newSecret, newId }: TokenContext,
): Promise<readonly FirstRole[]> {
  const made: FirstRole[] = [];
  for (const role of FIRST_ROLES) {
    const known = folder.readToken(role);
    const stored = known === null ? null : await store.findToken(sha256(known));
    if (stored && stored.revokedAt === null) continue;
    const secret = newSecret();
    await store.putToken({
      id: newId(),
      hash: sha256(secret),
      role,
      agentId: null,
      group: null,
      createdAt: clock.now(),
      revokedAt: null,
    });
    folder.writeToken(role, secret);
    made.push(role);
  }
  return made;
}
