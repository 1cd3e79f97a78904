import { join } from 'node:path';
import { namesIn, ownerOf, readUpTo, statAgentFile, withAgentFile } from '../../files/index.ts';
import { isRecord, parseRecord } from '../shared/json.ts';

/** Enough for the last few messages of a conversation. */
const LAST_BYTES = 256 * 1024;
/** More projects than a user has. */
const PROJECTS_MAX = 10_000;
const RULES = { isOwner: ownerOf(), bytesMax: Number.POSITIVE_INFINITY };

/** A session's transcript: where it is below the CLI's folder, and how long. */
export type FoundTranscript = { readonly path: string; readonly bytes: number };

/** Null when the session never got that far. */
export async function findTranscript(
  claudeFolder: string,
  sessionId: string,
): Promise<FoundTranscript | null> {
  const projects = join(claudeFolder, 'projects');
  for (const project of await namesIn(projects, PROJECTS_MAX)) {
    const path = join(projects, project, `${sessionId}.jsonl`);
    const answer = await statAgentFile(path, RULES);
    if (answer.kind === 'ok') return { path, bytes: answer.value.size };
  }
  return null;
}

/**
 * Whether the model had finished its turn, by the last message of the transcript; null when that can't be told.
 * A call that was cut short is no end, whatever the exit code says.
 */
export async function isTurnFinished(transcript: FoundTranscript | null): Promise<boolean | null> {
  const reason = await lastStopReason(transcript);
  return reason === undefined ? null : reason !== 'tool_use' && reason !== false;
}

/** Why the model stopped last; false if the last word was the user's, undefined when that can't be told. */
export async function lastStopReason(transcript: FoundTranscript | null): Promise<unknown> {
  const lines = transcript === null ? [] : await lastLines(transcript.path);
  for (const line of lines.reverse()) {
    const record = parseRecord(line) ?? {};
    // Side chains are helpers' talk, and what the harness adds in the user's name is nobody's.
    if (record.isSidechain === true || record.isMeta === true) continue;
    if (record.type === 'user') return false;
    if (record.type === 'assistant' && isRecord(record.message)) return record.message.stop_reason ?? null;
  }
  return undefined;
}

async function lastLines(path: string): Promise<string[]> {
  const answer = await withAgentFile(path, RULES, (file, { size }) => {
    const bytes = Math.min(size, LAST_BYTES);
    return readUpTo(file, bytes, size - bytes);
  });
  return answer.kind === 'ok' ? answer.value.toString().split('\n') : [];
}
