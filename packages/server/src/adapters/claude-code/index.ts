import type { Clock } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReplyQueue } from '../../engine/reply-queue.ts';
import type { Intake } from '../../intake/index.ts';
import type { Logger } from '../../logging.ts';
import { systemTable } from '../../processes/index.ts';
import { HookSessions } from './hook-sessions.ts';
import { claudeFolder } from './own-folder.ts';
import { SessionWatch } from './session-watch.ts';

export type ClaudeCodeContext = {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly replies: ReplyQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
};

/** Everything that the server does for Claude Code: hooks first, and what they do not say. */
export function startClaudeCode(context: ClaudeCodeContext): { hooks: HookSessions; close(): Promise<void> } {
  const { engine, intake, replies, clock, logger, env } = context;
  const failed = (error: unknown): void => logger.warn({ err: error }, 'a hook was answered, but not kept');
  const watch = new SessionWatch({ engine, clock, folder: claudeFolder(env), table: systemTable(), failed });
  const hooks = new HookSessions(engine, intake, replies, failed, (session) => watch.heard(session));
  const close = (): Promise<void> => {
    watch.close();
    return hooks.settled();
  };
  return { hooks, close };
}
