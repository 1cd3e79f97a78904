import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownerOf, readAgentFile, writeSettingsFile } from '@holter/server/process';

/** A state file of a town. */
type StateReading =
  | {
      readonly kind: 'read';
      /** When it was written, by its own account. */
      readonly at: number;
      /** Which run of which process has written it; null if it does not say. */
      readonly incarnation: string | null;
      readonly state: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'none' }
  /** Unreadable, torn, of another shape or dated in the future: unknown, never stale. */
  | { readonly kind: 'unreadable'; readonly because: string };

/** Agents may write to a town. The limit is larger than any file of it. */
const RULES = { isOwner: ownerOf(), bytesMax: 256 * 1024 };

/** Written whole or not at all. The moment goes into `timestamp`, where `deacon/heartbeat.json` has it, or `at`. */
export function writeStateFile(
  path: string,
  state: Readonly<Record<string, unknown>> & ({ readonly timestamp: string } | { readonly at: string }),
  incarnation: string,
): void {
  mkdirSync(dirname(path), { recursive: true });
  writeSettingsFile(path, `${JSON.stringify({ ...state, incarnation }, null, 2)}\n`);
}

/** `now` is asked after reading, so that a file that is written meanwhile is not dated in the future. */
export async function readStateFile(path: string, now: () => number): Promise<StateReading> {
  const file = await readAgentFile(path, RULES);
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'refused') return { kind: 'unreadable', because: `it ${file.because}` };
  const state = objectIn(file.value.content.toString());
  if (!state) return { kind: 'unreadable', because: 'it is not a JSON object' };
  const written = state.timestamp ?? state.at;
  const at = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  if (!Number.isFinite(at)) return { kind: 'unreadable', because: 'it does not say when it was written' };
  if (at > now()) return { kind: 'unreadable', because: 'it is dated in the future' };
  const incarnation = typeof state.incarnation === 'string' ? state.incarnation : null;
  return { kind: 'read', at, incarnation, state };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
