import { parseDuration } from '@holter/server/policy';
import { InvalidArgumentError } from 'commander';

/** In milliseconds. */
export function duration(text: string): number {
  const parsed = parseDuration(text);
  if (parsed !== undefined && parsed > 0) return parsed;
  throw new InvalidArgumentError("write it like '90s', '15m' or '2h'.");
}
