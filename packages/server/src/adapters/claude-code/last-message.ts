import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseRecord } from '../shared/json.ts';

/** Enough for the last few messages of a conversation. */
const LAST_BYTES = 256 * 1024;

/** The transcript of a session, wherever below the CLI's folder; null when it never got that far. */
export function findTranscript(claudeFolder: string, sessionId: string): string | null {
  const projects = join(claudeFolder, 'projects');
  try {
    for (const project of readdirSync(projects)) {
      if (readdirSync(join(projects, project)).includes(`${sessionId}.jsonl`))
        return join(projects, project, `${sessionId}.jsonl`);
    }
  } catch {
    // Nothing there yet.
  }
  return null;
}

/**
 * Whether the model had finished its turn, by the last message of the transcript; null when that can't be told.
 * A call that was cut short is no end, whatever the exit code says.
 */
export function isTurnFinished(transcript: string | null): boolean | null {
  const lines = transcript === null ? [] : lastLines(transcript);
  for (const line of lines.reverse()) {
    const record = parseRecord(line) ?? {};
    // Side chains are helpers' talk, and what the harness adds in the user's name is nobody's.
    if (record.isSidechain === true || record.isMeta === true) continue;
    if (record.type === 'user') return false;
    if (record.type === 'assistant' && isRecord(record.message))
      return record.message.stop_reason !== 'tool_use';
  }
  return null;
}

function lastLines(file: string): string[] {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
    readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8').split('\n');
  } finally {
    closeSync(handle);
  }
}
