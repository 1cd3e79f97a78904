import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Mailbox } from '../../engine/mailbox.ts';
import type { Logger } from '../../logging.ts';
import { HookSessions } from './hook-sessions.ts';

export type ClaudeCodeContext = {
  readonly engine: Engine;
  readonly mailbox: Mailbox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
};

/** Everything that the server does for Claude Code: hooks first, and what they do not say. */
export function startClaudeCode(context: ClaudeCodeContext): { hooks: HookSessions; close(): Promise<void> } {
  const { engine, mailbox, logger } = context;
  const failed = (error: unknown): void => logger.warn({ err: error }, 'a hook was answered, but not kept');
  const hooks = new HookSessions(engine, mailbox, failed);
  return { hooks, close: () => hooks.settled() };
}
