import { basename } from 'node:path';
import { isAgentId, type Registration, type Reporter } from '@holter/core';
import type { Adapter, HookSource } from '../adapters/index.ts';

/** Where a session or subagent may be registered: the first of the names that is free or its own. */
export type Place = {
  readonly names: readonly string[];
  readonly group: string;
  readonly reporter: Reporter;
};

/** Lengths of a session's id in names: after 8 hex digits, after each dash, and the whole. */
const SESSION_LENGTHS = [8, 13, 18, 23, 36];

/** Named after project and session, so that people recognise it; with more of the session's id if that is taken. */
export function placeOfSession(prefix: string, source: HookSource, user: string | null): Place {
  const { sessionId } = source;
  const group = projectOf(source);
  return {
    names: SESSION_LENGTHS.map((length) => `${prefix}.${group}.${sessionId.slice(0, length)}`),
    group,
    reporter: { session: sessionId, ...(user !== null && { user }) },
  };
}

export const placeOfSubagent = (subagentId: string, parentId: string, group: string): Place => ({
  names: [`${parentId}:${subagentId}`],
  group,
  reporter: { parent: parentId },
});

function projectOf({ cwd }: HookSource): string {
  const name = basename(cwd ?? '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60);
  return isAgentId(name) ? name : 'unknown';
}

export function registrationOf(
  agentId: string,
  { promises }: Adapter,
  { sessionId, subagentId }: HookSource,
  { group, reporter }: Place,
): Registration {
  return {
    agentId,
    instanceId: subagentId === null ? sessionId : `${sessionId}/${subagentId}`,
    role: 'default',
    group,
    // A session that connected on its own has a person in front of it, so Holter only nudges.
    mode: 'nudge',
    promises: promises ?? {},
    can: ['nudge', 'deny-call'],
    executor: null,
    reporter,
  };
}
