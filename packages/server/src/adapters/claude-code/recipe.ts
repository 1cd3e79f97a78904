import type { SignalBody } from '@holter/core';
import type { ProcessTable } from '../../processes/index.ts';
import type { JsonRecord } from '../shared/json.ts';
import type { ChildEnd, Recipe, RecipeContext, RestartFacts } from '../shared/recipe.ts';
import { restartNote } from '../shared/restart-note.ts';
import {
  type ClaudeArgs,
  hasOption,
  isSession,
  keptWords,
  namesSession,
  optionValue,
  readClaudeArgs,
} from './command-line.ts';
import { type FoundTranscript, findTranscript, isTurnFinished, lastStopReason } from './last-message.ts';
import { MODEL_TIMEOUT_MS } from './model-timeout.ts';
import { ClaudeStream } from './output-stream.ts';
import { claudeFolder } from './own-folder.ts';
import { readSessionFiles } from './session.ts';
import { readSettingsOption, settingsWithHooks } from './settings-option.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Null for `claude mcp …` and other commands that are no conversation. */
export function recipe(context: RecipeContext): Recipe | null {
  const args = readClaudeArgs(context.args);
  return isSession(args) ? new ClaudeRun(context, args) : null;
}

class ClaudeRun implements Recipe {
  readonly isHeadless: boolean;
  readonly canResume: boolean;
  readonly modelTimeoutMs: number;
  /** It answers SIGINT with exit code 0 and no word; SIGTERM it takes for "end in order" (measured). */
  readonly stopFrom = 'SIGTERM' as const;
  /** Headless and hung on its model: 0.8 % of a core and 100 bytes a second, all its own timers. */
  readonly idle = { cpuShare: 0.03, bytesPerSecond: 512 };
  private readonly context: RecipeContext;
  private readonly args: ClaudeArgs;
  private readonly folder: string;
  private sessionId: string | null;
  private stream: ClaudeStream | null = null;
  /** What the user's `--settings` says. */
  private given: JsonRecord | null = null;
  /** How long the transcript was when it was last read, and since when it has ended there. */
  private readAt = -1;
  private finished: number | null = null;
  /** How long the transcript was when the last successor began. */
  private sizeAtRestart: number | null = null;

  constructor(context: RecipeContext, args: ClaudeArgs) {
    this.context = context;
    this.args = args;
    this.folder = claudeFolder(context.env);
    this.isHeadless = hasOption(args, '-p', '--print');
    // Prompts that come in through stdin went with the process that read them.
    const isFedByStdin = optionValue(args, '--input-format') === 'stream-json';
    this.canResume = !isFedByStdin && !hasOption(args, '--no-session-persistence');
    const timeout = Number(context.env.API_TIMEOUT_MS);
    this.modelTimeoutMs = timeout > 0 ? timeout : MODEL_TIMEOUT_MS;
    const named = optionValue(args, '--session-id') ?? optionValue(args, '-r', '--resume');
    const isKnown = named !== null && UUID.test(named) && !hasOption(args, '--fork-session');
    const own = isKnown ? named : namesSession(args) ? null : context.newId();
    this.sessionId = context.sessionId ?? own;
  }

  start(serverUrl: string): readonly string[] {
    const { program, args } = this.context;
    this.listen();
    const own = optionValue(this.args, '--settings');
    const given = own === null ? args : withoutSettings(args);
    const session = namesSession(this.args) || !this.sessionId ? [] : ['--session-id', this.sessionId];
    return [program, ...this.settings(serverUrl), ...session, ...given];
  }

  async startAgain(serverUrl: string, facts: RestartFacts): Promise<readonly string[]> {
    const { program, newId } = this.context;
    this.listen();
    const note = restartNote(facts);
    const size = (await this.ownTranscript())?.bytes ?? null;
    // A successor that added nothing to the conversation could not take it up.
    const isResumable = size !== null && size !== this.sizeAtRestart;
    this.sizeAtRestart = size;
    // The prompt stands before options that take many values, or it would be one of them.
    if (isResumable && this.sessionId)
      return [
        program,
        '--resume',
        this.sessionId,
        note,
        ...this.settings(serverUrl),
        ...keptWords(this.args),
      ];
    const { prompt } = this.args;
    this.sessionId = newId();
    this.sizeAtRestart = null;
    const task = prompt === null ? note : `${prompt}\n\n${note}`;
    return [
      program,
      task,
      '--session-id',
      this.sessionId,
      ...this.settings(serverUrl),
      ...keptWords(this.args),
    ];
  }

  session(): string | null {
    return this.sessionId;
  }

  heard(bytes: Buffer): readonly SignalBody[] {
    return this.stream?.push(bytes, this.context.now()) ?? [];
  }

  /** A conversation that was named in another way than by its id: the CLI's own file says which it is. */
  async look(pid: number, table: ProcessTable): Promise<void> {
    if (this.sessionId !== null) return;
    const files = await readSessionFiles(this.context.env, table);
    for (const { sessionId, process } of files.values())
      if (process.pid === pid && UUID.test(sessionId)) this.sessionId = sessionId;
  }

  async finishedAt(): Promise<number | null> {
    const transcript = this.isHeadless ? await this.ownTranscript() : null;
    if (transcript === null) return null;
    if (transcript.bytes !== this.readAt) {
      this.readAt = transcript.bytes;
      const isFinished = (await lastStopReason(transcript)) === 'end_turn';
      this.finished = isFinished ? this.context.now() : null;
    }
    return this.finished;
  }

  async endOf(end: ChildEnd): Promise<ChildEnd> {
    if (end.code !== 0 || !this.isHeadless) return end;
    this.stream?.finish();
    const isDone = this.stream
      ? this.stream.result?.isError === false
      : (await isTurnFinished(await this.ownTranscript())) !== false;
    return isDone ? end : { code: 1, signal: null };
  }

  private listen(): void {
    const format = optionValue(this.args, '--output-format');
    this.stream =
      this.isHeadless && (format === 'stream-json' || format === 'json') ? new ClaudeStream() : null;
  }

  private settings(serverUrl: string): readonly string[] {
    const own = optionValue(this.args, '--settings');
    // Read once: what an agent writes into the file is nothing that its successors take.
    this.given ??= own === null ? {} : readSettingsOption(own, this.context.workingDirectory);
    return ['--settings', settingsWithHooks(this.given, serverUrl)];
  }

  private async ownTranscript(): Promise<FoundTranscript | null> {
    return this.sessionId === null ? null : findTranscript(this.folder, this.sessionId);
  }
}

function withoutSettings(args: readonly string[]): readonly string[] {
  const at = args.findIndex((word) => word === '--settings' || word.startsWith('--settings='));
  return args.filter((_word, index) => index !== at && !(args[at] === '--settings' && index === at + 1));
}
