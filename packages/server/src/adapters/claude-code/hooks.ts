import type { Instant } from '@holter/core';
import type { Hook, Hooks } from '../shared/hooks.ts';
import { asName } from '../shared/json.ts';
import { type HookBody, readHookBody } from './hook-body.ts';
import { isSlot, replyTo } from './hook-reply.ts';
import { signalsOf } from './hook-signals.ts';

export const hooks: Hooks = {
  idPrefix: 'claude',
  needs: 'hook_event_name, and a UUID as session_id',
  read: (value, now) => {
    const body = readHookBody(value);
    return body && hookOf(body, now);
  },
};

function hookOf(body: HookBody, now: Instant): Hook {
  const { event, sessionId, subagentId, cwd, transcriptPath, fields } = body;
  const isCall = event === 'PreToolUse';
  const tool = asName(fields.tool_name);
  return {
    sessionId,
    subagentId,
    cwd,
    transcriptPath,
    signals: signalsOf(body, now),
    call: isCall && tool !== null ? { tool, input: fields.tool_input ?? {} } : null,
    isSessionEnd: event === 'SessionEnd',
    canCarryWords: isSlot(event),
    reply: (words, isCallRefused) => replyTo(event, words, isCallRefused),
  };
}
