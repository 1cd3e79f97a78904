import type { HookReply, Word } from '../shared/hooks.ts';

/** Says nothing, and lets the agent go on. */
const GO_ON: HookReply = {};

/** Hooks whose reply reaches the model as context (measured). */
const CONTEXT_SLOTS: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'UserPromptSubmit',
]);

/** Whether this hook's reply can carry words to the model; otherwise they wait for the next hook. */
export const isSlot = (event: string): boolean => CONTEXT_SLOTS.has(event);

/**
 * The words of Holter as the reply to a hook. Context reaches the model as it is; `decision: block` would
 * show it our address. A refused call is answered with the reason in place of its result.
 */
export function replyTo(event: string, directives: readonly Word[], isDenied: boolean): HookReply {
  const words = directives
    .filter(({ type }) => type !== 'deny' && type !== 'stop')
    .map(({ message }) => message);
  if (event === 'PreToolUse' && isDenied) {
    return {
      hookSpecificOutput: {
        hookEventName: event,
        permissionDecision: 'deny',
        permissionDecisionReason: [DENIED, ...words].join('\n'),
      },
    };
  }
  const stop = directives.find(({ type }) => type === 'stop');
  // Only here does `continue: false` end a turn whose calls fail (measured).
  if (stop && event === 'PostToolBatch') return { continue: false, stopReason: stop.message };
  if (words.length === 0) return GO_ON;
  return { hookSpecificOutput: { hookEventName: event, additionalContext: words.join('\n') } };
}

const DENIED =
  'Holter: this call was made several times with the same result and is refused until something else was tried.';
