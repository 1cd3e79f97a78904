import { basename } from 'node:path';
import type { Registration } from '@holter/core';
import type { Adapter, HookSource } from '../adapters/index.ts';

/** Named after project and session, so that people recognise it; a subagent is named after its parent. */
export function agentIdOf(prefix: string, source: HookSource, ownAgentId: string | null): string {
  const own = ownAgentId ?? `${prefix}.${projectOf(source)}.${source.sessionId.slice(0, 8)}`;
  return source.subagentId === null ? own : `${own}:${source.subagentId}`;
}

const projectOf = ({ cwd }: HookSource): string =>
  basename(cwd ?? '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60) || 'unknown';

export function registrationOf(
  agentId: string,
  { promises }: Adapter,
  source: HookSource,
  group: string | null,
): Registration {
  const { sessionId, subagentId } = source;
  return {
    agentId,
    instanceId: subagentId === null ? sessionId : `${sessionId}/${subagentId}`,
    role: 'default',
    group: group ?? projectOf(source),
    // A session that connected on its own has a person in front of it, so Holter only nudges.
    mode: 'nudge',
    promises: promises ?? {},
    can: ['nudge', 'deny-call'],
    executor: null,
  };
}
