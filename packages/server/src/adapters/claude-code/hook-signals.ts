import type { HoldKind, Instant, SignalBody } from '@holter/core';
import { clip, type MarkedSignal } from '../shared/hooks.ts';
import { asName, asText } from '../shared/json.ts';
import { batchedCallsOf, type HookBody, responseText } from './hook-body.ts';
import { limitResetOf } from './usage-limit.ts';

/** Errors of the model's service that pass by themselves: somebody else has the next move. */
const HOLDING_ERRORS: ReadonlySet<string> = new Set(['rate_limit', 'overloaded', 'billing_error']);

/** What a hook says, as facts about the agent. The call's own id makes it count once on every way. */
export function signalsOf(body: HookBody, now: Instant): readonly MarkedSignal[] {
  const { event, fields } = body;
  switch (event) {
    case 'UserPromptSubmit': {
      const promptId = asName(fields.prompt_id);
      const id = promptId === null ? {} : { id: promptId };
      return [
        { kind: 'turn-begun', ...id },
        { kind: 'said', role: 'user', text: clip(asText(fields.prompt) ?? ''), ...id },
      ];
    }
    case 'PreToolUse':
      return callOf(body, ({ callId, tool, input }) => [{ kind: 'call-begun', callId, tool, input }]);
    case 'PostToolUse':
      return callOf(body, ({ callId, tool, input }) => [
        {
          kind: 'call-ended',
          callId,
          tool,
          input,
          output: clip(responseText(fields.tool_response)),
          isError: false,
        },
      ]);
    case 'PostToolUseFailure':
      return callOf(body, ({ callId, tool, input }) => [
        { kind: 'call-ended', callId, tool, input, output: clip(asText(fields.error) ?? ''), isError: true },
      ]);
    case 'PostToolBatch':
      // A call that was denied or refused reports its end only here; the others are known by their ids.
      return batchedCallsOf(body).map(({ callId, tool, input, response }) => ({
        kind: 'call-ended',
        callId,
        tool,
        input,
        output: clip(response),
        isError: true,
      }));
    case 'PermissionRequest':
      return [{ kind: 'hold-begun', hold: 'waiting-for-permission' }];
    case 'Notification':
      return notified(asText(fields.notification_type));
    case 'PreCompact':
      return [{ kind: 'compaction' }];
    case 'Stop':
      return [{ kind: 'turn-ended' }, { kind: 'hold-begun', hold: holdAfterStop(fields) }];
    case 'StopFailure':
      return stoppedByError(fields, now);
    case 'SubagentStart':
      return [{ kind: 'turn-begun' }];
    case 'SubagentStop':
      return [{ kind: 'turn-ended' }, { kind: 'stopped', reason: 'its part of the work is done' }];
    case 'SessionEnd':
      return [{ kind: 'stopped', reason: `session ended: ${clip(asText(fields.reason) ?? 'unknown')}` }];
    default:
      return [{ kind: 'activity' }];
  }
}

type Call = { readonly callId: string; readonly tool: string; readonly input: unknown };

function callOf({ fields }: HookBody, signals: (call: Call) => readonly SignalBody[]): readonly SignalBody[] {
  const callId = asName(fields.tool_use_id);
  const tool = asName(fields.tool_name);
  if (callId === null || tool === null) return [{ kind: 'activity' }];
  return signals({ callId, tool, input: fields.tool_input ?? {} });
}

function notified(type: string | null): readonly SignalBody[] {
  if (type === 'permission_prompt') return [{ kind: 'hold-begun', hold: 'waiting-for-permission' }];
  if (type === 'idle_prompt') return [{ kind: 'hold-begun', hold: 'waiting-for-input' }];
  return [{ kind: 'activity' }];
}

/** Background tasks will wake it up again; otherwise the next word is a person's. */
function holdAfterStop(fields: Readonly<Record<string, unknown>>): HoldKind {
  const isBusy = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
  return isBusy(fields.background_tasks) || isBusy(fields.session_crons)
    ? 'awaiting-gate'
    : 'waiting-for-input';
}

function stoppedByError(fields: Readonly<Record<string, unknown>>, now: Instant): readonly SignalBody[] {
  const error = clip(asText(fields.error) ?? 'unknown');
  if (HOLDING_ERRORS.has(error)) {
    // The CLI puts its own words in place of a message when a turn fails.
    const until =
      error === 'rate_limit' ? limitResetOf(asText(fields.last_assistant_message) ?? '', now) : null;
    return [
      { kind: 'turn-ended' },
      { kind: 'hold-begun', hold: 'rate-limited', ...(until !== null && { until }) },
    ];
  }
  return [{ kind: 'error', message: error }, { kind: 'turn-ended' }];
}
