/** What a program beside the server needs to know about Claude Code. Loads nothing from npm. */
export {
  HOOK_PATH,
  type HookEntry,
  type HookGroup,
  type HookHeader,
  type HookSettings,
  hookSettings,
  isOurHook,
} from './adapters/claude-code/hook-settings.ts';
export { claudeFolder } from './adapters/claude-code/own-folder.ts';
export { MODEL_TIMEOUT_MS } from './adapters/claude-code/session-agent.ts';
export { readSessionFiles } from './adapters/claude-code/session-file.ts';
export { type TranscriptFact, TranscriptReader } from './adapters/claude-code/transcript.ts';
