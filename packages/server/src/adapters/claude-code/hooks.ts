import type { Hook, Hooks } from '../shared/hooks.ts';
import { type HookBody, readHookBody } from './hook-body.ts';
import { isSlot, replyTo } from './hook-reply.ts';
import { signalsOf } from './hook-signals.ts';

export const hooks: Hooks = {
  idPrefix: 'claude',
  needs: 'hook_event_name, and a UUID as session_id',
  read: (value) => {
    const body = readHookBody(value);
    return body && hookOf(body);
  },
};

function hookOf(body: HookBody): Hook {
  const { event, sessionId, subagentId, cwd, transcriptPath, fields } = body;
  const isCall = event === 'PreToolUse';
  return {
    sessionId,
    subagentId,
    cwd,
    transcriptPath,
    signals: signalsOf(body),
    call: isCall ? { tool: String(fields.tool_name), input: fields.tool_input ?? null } : null,
    isSessionEnd: event === 'SessionEnd',
    canCarryWords: isSlot(event),
    reply: (words, isCallRefused) => replyTo(event, words, isCallRefused),
  };
}
