import { asName, asText, isRecord } from '../shared/json.ts';

/**
 * What Claude Code posts to a hook, as far as Holter reads it. Shapes are detected, never pinned: a field
 * that is missing or of another type is simply not there, and an unknown event says only "alive".
 */
export type HookBody = {
  readonly event: string;
  readonly sessionId: string;
  /** Present inside a subagent. */
  readonly subagentId: string | null;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Null when it is no hook body: the session must be a UUID, because its name becomes part of ours. */
export function readHookBody(value: unknown): HookBody | null {
  if (!isRecord(value)) return null;
  const event = asText(value.hook_event_name);
  const sessionId = asText(value.session_id);
  if (event === null || sessionId === null || !UUID.test(sessionId)) return null;
  const subagentId = asText(value.agent_id);
  return {
    event,
    sessionId: sessionId.toLowerCase(),
    subagentId: subagentId !== null && /^[\w-]{1,64}$/.test(subagentId) ? subagentId : null,
    cwd: asText(value.cwd),
    transcriptPath: asText(value.transcript_path),
    fields: value,
  };
}

/** One of several calls that ended together. */
type BatchedCall = {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly response: string;
};

/** More calls than a model makes at once; further ones are left out. */
const BATCH_MAX = 100;

export function batchedCallsOf({ fields }: HookBody): readonly BatchedCall[] {
  if (!Array.isArray(fields.tool_calls)) return [];
  return fields.tool_calls.slice(0, BATCH_MAX).flatMap((call: unknown) => {
    if (!isRecord(call)) return [];
    const callId = asName(call.tool_use_id);
    const tool = asName(call.tool_name);
    if (callId === null || tool === null) return [];
    return [{ callId, tool, input: call.tool_input, response: responseText(call.tool_response) }];
  });
}

/** Shell tools answer with two streams, others with text or anything; what a person would see is compared. */
export function responseText(response: unknown): string {
  if (typeof response === 'string') return response;
  if (!isRecord(response)) return response === undefined || response === null ? '' : JSON.stringify(response);
  const { stdout, stderr } = response;
  if (typeof stdout === 'string')
    return typeof stderr === 'string' && stderr !== '' ? `${stdout}\n${stderr}` : stdout;
  return JSON.stringify(response);
}
