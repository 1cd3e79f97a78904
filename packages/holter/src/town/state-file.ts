import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownerOf, readAgentFile, replaceAgentFile } from '@holter/server/process';

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

/** Files that could not be written last time, so that it is said once. */
const failing = new Set<string>();
const toTerminal = (line: string): void => void process.stderr.write(`holter: ${line}\n`);

/**
 * Written whole or not at all. The moment goes into `timestamp`, where `deacon/heartbeat.json` has it, or `at`. An
 * agent may have put a folder in its place: that is said, and stops nobody.
 */
export function writeStateFile(
  path: string,
  state: Readonly<Record<string, unknown>> & ({ readonly timestamp: string } | { readonly at: string }),
  incarnation: string,
  say = toTerminal,
): Promise<void> {
  return writeTownFile(path, `${JSON.stringify({ ...state, incarnation }, null, 2)}\n`, say);
}

export async function writeTownFile(path: string, text: string, say = toTerminal): Promise<void> {
  const because = await problemOfWriting(path, text);
  if (because === null) failing.delete(path);
  else if (!failing.has(path)) {
    failing.add(path);
    say(`${path} is not written: ${because}`);
  }
}

async function problemOfWriting(path: string, text: string): Promise<string | null> {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    return `its folder can't be used (${(error as NodeJS.ErrnoException).code})`;
  }
  const answer = await replaceAgentFile(path, text);
  if (answer.kind === 'ok') return null;
  return answer.kind === 'refused' ? `it ${answer.because}` : 'its folder is missing';
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
