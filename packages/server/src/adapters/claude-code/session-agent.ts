import { basename } from 'node:path';
import { milliseconds, type Registration } from '@holter/core';
import type { HookBody } from './hook-body.ts';

/** Claude Code gives up a model call by itself after this long, without a sign in between (measured). */
export const MODEL_TIMEOUT_MS = milliseconds(300_000);

/** Named after project and session, so that a person recognises it; a subagent after its parent. */
export function agentIdOf(body: HookBody, ownAgentId: string | null): string {
  const own = ownAgentId ?? `claude.${projectOf(body)}.${body.sessionId.slice(0, 8)}`;
  return body.subagentId === null ? own : `${own}:${body.subagentId}`;
}

const projectOf = ({ cwd }: HookBody): string =>
  basename(cwd ?? '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60) || 'unknown';

export function registrationOf(agentId: string, body: HookBody, group: string | null): Registration {
  return {
    agentId,
    instanceId: body.subagentId === null ? body.sessionId : `${body.sessionId}/${body.subagentId}`,
    role: 'default',
    group: group ?? projectOf(body),
    // A person sits at a session that connected by itself.
    mode: 'nudge',
    promises: { calls: { modelTimeoutMs: MODEL_TIMEOUT_MS }, turns: true },
    can: ['nudge', 'deny-call'],
    executor: null,
  };
}
