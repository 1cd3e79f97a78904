import { type Hard, hashCall, newestCallOf } from '@holter/core';
import type { Hook } from '../adapters/index.ts';
import { redactValue } from '../redaction/index.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Whether this call is the one that is refused while the incident is open; `isNew` if it is refused from now on. */
export function isDenied(hard: Hard, { tool, input }: NonNullable<Hook['call']>, isNew: boolean): boolean {
  const denied = isNew ? newestCallOf(hard) : (hard.incident?.denied ?? null);
  if (denied === null) return false;
  // As the call is folded in: without secrets, and by its fingerprint if it is too large.
  return [redactValue(input), { fingerprint: fingerprintOf(input) }].some(
    (folded) => hashCall(tool, folded) === denied,
  );
}
