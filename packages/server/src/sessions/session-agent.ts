import { basename } from 'node:path';
import type { Registration } from '@holter/core';
import type { Adapter, Hook } from '../adapters/index.ts';

/** Named after project and session, so that a person recognises it; a subagent after its parent. */
export function agentIdOf(prefix: string, hook: Hook, ownAgentId: string | null): string {
  const own = ownAgentId ?? `${prefix}.${projectOf(hook)}.${hook.sessionId.slice(0, 8)}`;
  return hook.subagentId === null ? own : `${own}:${hook.subagentId}`;
}

const projectOf = ({ cwd }: Hook): string =>
  basename(cwd ?? '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60) || 'unknown';

export function registrationOf(
  agentId: string,
  { promises }: Adapter,
  hook: Hook,
  group: string | null,
): Registration {
  const { sessionId, subagentId } = hook;
  return {
    agentId,
    instanceId: subagentId === null ? sessionId : `${sessionId}/${subagentId}`,
    role: 'default',
    group: group ?? projectOf(hook),
    // A person sits at a session that connected by itself.
    mode: 'nudge',
    promises: promises ?? {},
    can: ['nudge', 'deny-call'],
    executor: null,
  };
}
