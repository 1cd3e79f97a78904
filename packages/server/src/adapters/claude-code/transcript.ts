import { type ModelUse, TOKEN_KINDS } from '@holter/core';
import { asList, asName, asNumber, asRecord, asText, type JsonRecord } from '../shared/json.ts';
import { OpenCalls, SeenIds } from '../shared/open-calls.ts';
import type { Transcript, TranscriptFact, TranscriptReader, Usage } from '../shared/transcript.ts';
import { windowOf } from './context-window.ts';
import { findTranscript } from './last-message.ts';
import { claudeFolder, transcriptFile } from './own-folder.ts';

export const transcript: Transcript = {
  open: (sessionId) => new ClaudeTranscript(sessionId),
  fileNamedByHook: transcriptFile,
  fileOfSession: async (env, sessionId) => (await findTranscript(claudeFolder(env), sessionId))?.path ?? null,
};

type Pending = { readonly run: string; readonly messageId: string; text: string; readonly at: string | null };
type OpenCall = {
  readonly tool: string;
  readonly input: unknown;
  readonly text: string | null;
  readonly usage: Usage | null;
};

/** What the harness writes in the user's name. */
const HARNESS =
  /^\s*(?:<(?:command-|local-command|system-reminder|bash-)|Caveat: |\[Request interrupted|Stop hook feedback)/;

/**
 * A Claude Code transcript: one line per content block. Text that comes with a call (same message id) is its
 * thought; text that does not is a message. `attachment` lines hold what hooks said, Holter's own nudges among
 * them: they are not the agent's words and are left out. Side chains (helpers that the agent started) are runs
 * of their own. Used live, by the tail, and on recorded files, by `holter replay`.
 */
class ClaudeTranscript implements TranscriptReader {
  private readonly open = new OpenCalls<OpenCall>();
  private readonly seen = new SeenIds();
  private readonly counted = new SeenIds();
  private readonly metered = new SeenIds();
  private pending: Pending | null = null;
  private lastUse: { readonly messageId: string; readonly use: ModelUse } | null = null;
  private readonly fallback: string;

  /** `fallback` names the run of lines that do not. */
  constructor(fallback: string) {
    this.fallback = fallback;
  }

  push(line: JsonRecord): readonly TranscriptFact[] {
    const { type } = line;
    if (type !== 'assistant' && type !== 'user' && type !== 'system') return [];
    const uuid = asText(line.uuid);
    if (uuid !== null && !this.seen.add(uuid)) return [];
    const run = this.runOf(line);
    if (type === 'assistant') return this.assistant(line, run);
    if (type === 'user') return [...this.flush(), ...this.user(line, run)];
    if (line.subtype !== 'compact_boundary') return [];
    return [
      ...this.flush(),
      { kind: 'compaction', run, at: asText(line.timestamp), text: asText(line.content) },
    ];
  }

  /** A text that no call followed was said, not thought. */
  flush(): readonly TranscriptFact[] {
    const { pending } = this;
    this.pending = null;
    if (pending === null) return [];
    const { run, at, text } = pending;
    return [{ kind: 'said', role: 'assistant', run, at, text, promptId: null }];
  }

  private runOf(line: JsonRecord): string {
    const session = asText(line.sessionId) ?? this.fallback;
    return line.isSidechain === true ? `${session}/${asText(line.agentId) ?? 'sidechain'}` : session;
  }

  private assistant(line: JsonRecord, run: string): readonly TranscriptFact[] {
    const message = asRecord(line.message);
    const messageId = asText(message.id) ?? '';
    const at = asText(line.timestamp);
    const facts: TranscriptFact[] = [];
    if (this.pending !== null && this.pending.messageId !== messageId) facts.push(...this.flush());
    const content = asList(message.content);
    if (content.length === 0)
      facts.push({ kind: 'said', role: 'assistant', run, at, text: '', promptId: null });
    for (const block of content.map(asRecord)) {
      if (block.type === 'text') this.think(run, messageId, asText(block.text) ?? '', at);
      else if (block.type === 'tool_use') facts.push(...this.begin(run, at, block, message, messageId));
    }
    facts.push(...this.meter(line, message, messageId, run));
    return facts;
  }

  /** The lines of a message repeat its usage; while it is being written, a later line may know of more. */
  private meter(
    line: JsonRecord,
    message: JsonRecord,
    messageId: string,
    run: string,
  ): readonly TranscriptFact[] {
    const model = asText(message.model) ?? '';
    const use = useOf(message, model, asNumber(line.costUSD));
    if (use === null) return [];
    const isFirst = this.metered.add(messageId);
    const before = isFirst ? null : this.lastUse;
    if (!isFirst && before?.messageId !== messageId) return [];
    const more = before ? gained(before.use, use) : use;
    this.lastUse = { messageId, use };
    if (more === null) return [];
    return [
      {
        kind: 'usage',
        run,
        at: asText(line.timestamp),
        use: more,
        contextUse: Math.min(1, readBy(use) / windowOf(model)),
        isEndOfTurn: isFirst && message.stop_reason === 'end_turn',
      },
    ];
  }

  private think(run: string, messageId: string, text: string, at: string | null): void {
    if (this.pending === null) this.pending = { run, messageId, text, at };
    else this.pending.text += `\n${text}`;
  }

  private begin(
    run: string,
    at: string | null,
    block: JsonRecord,
    message: JsonRecord,
    messageId: string,
  ): readonly TranscriptFact[] {
    const text = this.pending?.text ?? null;
    this.pending = null;
    const usage = this.counted.add(messageId) ? usageOf(message) : null;
    const callId = asName(block.id);
    const tool = asName(block.name);
    if (callId === null || tool === null) return [];
    const call = { tool, input: block.input ?? null };
    this.open.begin(callId, { ...call, text, usage });
    return [{ kind: 'call-begun', run, at, callId, ...call }];
  }

  private user(line: JsonRecord, run: string): readonly TranscriptFact[] {
    const at = asText(line.timestamp);
    const { content } = asRecord(line.message);
    if (line.isCompactSummary === true) return [{ kind: 'compaction', run, at, text: null }];
    if (typeof content === 'string') return [spoken(line, run, content)];
    return asList(content)
      .map(asRecord)
      .flatMap((block): readonly TranscriptFact[] => {
        if (block.type === 'text') return [spoken(line, run, asText(block.text) ?? '')];
        return block.type === 'tool_result' ? this.end(run, at, block) : [];
      });
  }

  private end(run: string, at: string | null, block: JsonRecord): readonly TranscriptFact[] {
    const callId = asText(block.tool_use_id) ?? '';
    const call = this.open.take(callId);
    if (!call) return [];
    const output = textOf(block.content);
    return [{ kind: 'call-ended', run, at, callId, ...call, output, isError: block.is_error === true }];
  }
}

function spoken(line: JsonRecord, run: string, text: string): TranscriptFact {
  const isHarness = line.isMeta === true || HARNESS.test(text);
  const role = isHarness ? 'system' : 'user';
  return { kind: 'said', role, run, at: asText(line.timestamp), text, promptId: asText(line.promptId) };
}

function usageOf(message: JsonRecord): Usage | null {
  const use = useOf(message, '', null);
  return use && { in: readBy(use), out: use.output ?? 0, cached: use.cacheRead ?? 0 };
}

function useOf(message: JsonRecord, model: string, costUsd: number | null): ModelUse | null {
  const usage = asRecord(message.usage);
  const written = countOf(usage.cache_creation_input_tokens);
  const cacheWriteHour = Math.min(written, countOf(asRecord(usage.cache_creation).ephemeral_1h_input_tokens));
  const use = {
    model,
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: written - cacheWriteHour,
    cacheWriteHour,
    ...(costUsd !== null && costUsd >= 0 && { costUsd }),
  };
  return TOKEN_KINDS.every((kind) => use[kind] === 0) ? null : use;
}

const countOf = (value: unknown): number =>
  Math.min(Math.max(0, Math.round(asNumber(value) ?? 0)), Number.MAX_SAFE_INTEGER);

const readBy = ({ input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0 }: ModelUse): number =>
  input + cacheRead + cacheWrite + cacheWriteHour;

/** What a later line of the same message adds; null if nothing. */
function gained(before: ModelUse, after: ModelUse): ModelUse | null {
  const more: Record<string, number> = {};
  for (const kind of TOKEN_KINDS) more[kind] = Math.max(0, (after[kind] ?? 0) - (before[kind] ?? 0));
  return TOKEN_KINDS.every((kind) => more[kind] === 0) ? null : { model: after.model, ...more };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part).text) ?? '')
    .join('\n');
}
