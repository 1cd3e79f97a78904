/**
 * The agent kinds that Holter knows, each in its own folder. Loads nothing from npm and nothing of the server,
 * so that a `holter run` per agent stays small.
 */
import { claudeCode } from './claude-code/index.ts';
import { codex } from './codex/index.ts';
import { geminiCli } from './gemini-cli/index.ts';
import { hive } from './hive/index.ts';
import { opencode } from './opencode/index.ts';
import type { Adapter } from './shared/adapter.ts';
import { shellLog } from './shell-log/index.ts';

export const ADAPTERS: readonly Adapter[] = [claudeCode, codex, geminiCli, hive, opencode, shellLog];

export const adapterNamed = (name: string): Adapter | null =>
  ADAPTERS.find((adapter) => adapter.name === name) ?? null;

export const adapterOfProgram = (program: string): Adapter | null =>
  ADAPTERS.find((adapter) => adapter.isProgram(program)) ?? null;

export type { Adapter } from './shared/adapter.ts';
export { AdapterError } from './shared/adapter-error.ts';
export {
  type Diagnosis,
  HOOK_SECRET_PREFIX,
  type HookHeader,
  type HookTarget,
  isHookSecret,
} from './shared/connect.ts';
export type { Hook, HookReply, HookSource, Hooks, MarkedSignal } from './shared/hooks.ts';
export { asNumber, asRecord, asText, type JsonRecord, parseRecord } from './shared/json.ts';
export { meterStartOf } from './shared/model-meter.ts';
export type { ChildEnd, Idle, Recipe } from './shared/recipe.ts';
export type { Item, ReplayFormat, ReplayReader } from './shared/replay.ts';
export { restartReason } from './shared/restart-note.ts';
export type { Marks, ScreenMarks } from './shared/screen.ts';
export type { SessionFile } from './shared/session-file.ts';
export type { FolderLook, StepFolder } from './shared/step-folder.ts';
export type { Transcript } from './shared/transcript.ts';
export { type TailedSession, TRANSCRIPT_CHANNEL, TranscriptTail } from './shared/transcript-tail.ts';
