import { isAbsolute } from 'node:path';
import type { Agent, Instant } from '@holter/core';
import { statAgentFile } from '../files/index.ts';
import { LetterRefused } from './letter-refused.ts';
import { mailPresenceOf } from './presence.ts';

type Content = Readonly<Record<string, unknown>>;

const REQUIRED = ['uuid', 'task', 'failed_agent', 'failure_reason'] as const;
const UUID = /^EH-\d{8}-[A-Za-z0-9._-]{1,128}-\d{3}$/;
const PLACEHOLDER = /\[(?:tbd|todo|fixme|placeholder)\b[^\]]{0,80}\]|^\s*(?:tbd|todo)\s*$/i;
const FILES_MAX = 50;

/** A reply that says that the handoff was not read acknowledges nothing. */
export const isAcknowledging = ({ type, handoff_document_read }: Content): boolean =>
  type !== 'handoff-acknowledgment' || handoff_document_read === true;

/**
 * A handoff that its reader could not use is refused before it is stored: with a field missing or filled in later, about
 * an agent or files that do not exist, or to an agent that is not there to take over.
 */
export async function checkHandoff(
  content: Content,
  about: {
    readonly target: Agent | null;
    readonly failed: (name: string) => Promise<Agent | null>;
    readonly now: Instant;
    /** Only an operator's: whether a file exists would tell others about this machine. */
    readonly areFilesChecked: boolean;
  },
): Promise<void> {
  for (const field of REQUIRED)
    if (!isFilled(content[field])) throw invalid(field, `content.${field} is required in a handoff`);
  if (!UUID.test(String(content.uuid)))
    throw invalid('uuid', 'content.uuid has the form EH-YYYYMMDD-agent-NNN');
  const placeholder = Object.entries(content).find(([, value]) => hasPlaceholder(value));
  if (placeholder) throw invalid(placeholder[0], `content.${placeholder[0]} has a placeholder`);
  const name = String(content.failed_agent);
  if ((await about.failed(name)) === null) throw invalid('failed_agent', `no agent with the name ${name}`);
  const { target, now } = about;
  if (target === null || !ALIVE.has(mailPresenceOf(target, now)))
    throw new LetterRefused('handoff_target_lost', 'the recipient of a handoff has to be alive', {
      field: 'to',
    });
  if (target.hard.agentId === name)
    throw invalid('failed_agent', 'a handoff goes to another agent than the one that failed');
  await checkFiles(content.files, about.areFilesChecked);
}

const ALIVE: ReadonlySet<string> = new Set(['online', 'idle', 'busy']);

async function checkFiles(files: unknown, areChecked: boolean): Promise<void> {
  if (files === undefined) return;
  const isList = Array.isArray(files) && files.length <= FILES_MAX;
  if (!isList || !files.every((path) => typeof path === 'string' && isAbsolute(path)))
    throw invalid('files', `content.files is a list of at most ${FILES_MAX} absolute paths`);
  if (!areChecked) return;
  for (const path of files as readonly string[]) {
    const { kind } = await statAgentFile(path, { isOwner: () => true, bytesMax: Number.POSITIVE_INFINITY });
    if (kind === 'missing') throw invalid('files', `content.files: there is no file ${path}`);
  }
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : typeof value === 'object' && value !== null;

function hasPlaceholder(value: unknown): boolean {
  if (typeof value === 'string') return PLACEHOLDER.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasPlaceholder);
}

const invalid = (field: string, message: string): LetterRefused =>
  new LetterRefused('invalid_handoff', message, { field: `content.${field}` });
