import { instant } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { readHookBody } from './hook-body.ts';
import { replyTo } from './hook-reply.ts';
import { signalsOf } from './hook-signals.ts';

const common = {
  session_id: 'c64a3fea-d51f-4305-9248-db9d38df8039',
  transcript_path: '~/.claude/projects/-proj/c64a3fea-d51f-4305-9248-db9d38df8039.jsonl',
  cwd: '/proj',
};
const call = { tool_name: 'Bash', tool_input: { command: 'cat missing' }, tool_use_id: 'toolu_1' };

const signals = (event: string, fields: object = {}) => {
  const body = readHookBody({ ...common, hook_event_name: event, ...fields });
  if (!body) throw new Error('no hook body');
  return signalsOf(body, instant(0));
};

describe('what a hook says', () => {
  test.each([
    ['UserPromptSubmit', { prompt: 'go' }, ['turn-begun', 'said']],
    ['PreToolUse', call, ['call-begun']],
    ['PostToolUse', { ...call, tool_response: { stdout: 'ok', stderr: '' } }, ['call-ended']],
    ['PostToolUseFailure', { ...call, error: 'Exit code 1\ncat: missing' }, ['call-ended']],
    ['PermissionRequest', call, ['hold-begun']],
    ['Notification', { notification_type: 'idle_prompt' }, ['hold-begun']],
    ['Notification', { notification_type: 'something new' }, ['activity']],
    ['PreCompact', { trigger: 'auto' }, ['compaction']],
    ['Stop', { background_tasks: [], session_crons: [] }, ['turn-ended', 'hold-begun']],
    ['StopFailure', { error: 'rate_limit' }, ['turn-ended', 'hold-begun']],
    ['StopFailure', { error: 'invalid_request' }, ['error', 'turn-ended']],
    ['SessionEnd', { reason: 'other' }, ['stopped']],
    ['SomethingNew', {}, ['activity']],
    ['PreToolUse', {}, ['activity']],
  ])('%s %j', (event, fields, kinds) => {
    expect(signals(event, fields).map(({ kind }) => kind)).toEqual(kinds);
  });

  test('a failing call keeps its error, a shell result both its streams', () => {
    expect(signals('PostToolUseFailure', { ...call, error: 'Exit code 1' })).toMatchObject([
      { isError: true, output: 'Exit code 1', callId: 'toolu_1' },
    ]);
    expect(signals('PostToolUse', { ...call, tool_response: { stdout: 'a', stderr: 'b' } })).toMatchObject([
      { isError: false, output: 'a\nb' },
    ]);
  });

  test('a stop with background tasks waits for them, not for a person', () => {
    expect(signals('Stop', { background_tasks: [{}] })).toContainEqual({
      kind: 'hold-begun',
      hold: 'awaiting-gate',
    });
  });

  test.each([
    null,
    'text',
    [],
    {},
    { ...common },
    { ...common, hook_event_name: 'Stop', session_id: '../../etc' },
  ])('%j is no hook body', (value) => {
    expect(readHookBody(value)).toBeNull();
  });
});

describe('what the reply carries', () => {
  const nudge = { type: 'nudge', id: 'n1', message: 'Holter: the same call was made 5 times.' } as const;

  test('a nudge is context for the model', () => {
    expect(replyTo('PostToolBatch', [nudge], false)).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: nudge.message },
    });
  });

  test('a refused call is answered with the reason', () => {
    expect(replyTo('PreToolUse', [], true)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  test('a stop ends the turn where that works, and nothing is said otherwise', () => {
    const stop = { type: 'stop', id: 's1', message: 'Holter: stopped by an operator.' } as const;
    expect(replyTo('PostToolBatch', [stop], false)).toEqual({ continue: false, stopReason: stop.message });
    expect(replyTo('PostToolUseFailure', [stop], false)).toEqual({});
    expect(replyTo('PostToolUse', [], false)).toEqual({});
  });
});
