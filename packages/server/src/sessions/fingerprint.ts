import { createHash } from 'node:crypto';

/** Of arguments that are too large to compare in canonical form; up to 8 MB, so not by a loop over characters. */
export const fingerprintOf = (input: unknown): number =>
  createHash('sha256')
    .update(JSON.stringify(input) ?? '')
    .digest()
    .readUIntBE(0, 6);
