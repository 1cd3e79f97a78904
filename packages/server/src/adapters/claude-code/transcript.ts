import { asList, asName, asNumber, asRecord, asText, type JsonRecord } from '../shared/json.ts';
import { OpenCalls, SeenIds } from '../shared/open-calls.ts';
import type { Transcript, TranscriptFact, TranscriptReader, Usage } from '../shared/transcript.ts';
import { findTranscript } from './last-message.ts';
import { costUsdOf, type PricedUsage, windowOf } from './model-price.ts';
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
    const usage = usageOf(message);
    if (usage && this.metered.add(messageId)) {
      const isEndOfTurn = message.stop_reason === 'end_turn';
      const model = asText(message.model) ?? '';
      const contextUse = Math.min(1, usage.in / windowOf(model));
      facts.push({
        kind: 'usage',
        run,
        at,
        usage,
        costUsd: costUsdOf(model, usage),
        contextUse,
        isEndOfTurn,
      });
    }
    return facts;
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

function usageOf(message: JsonRecord): PricedUsage | null {
  const usage = asRecord(message.usage);
  const cacheWrite = asNumber(usage.cache_creation_input_tokens) ?? 0;
  const cacheRead = asNumber(usage.cache_read_input_tokens) ?? 0;
  const read = (asNumber(usage.input_tokens) ?? 0) + cacheWrite + cacheRead;
  const out = asNumber(usage.output_tokens) ?? 0;
  return read + out === 0 ? null : { in: read, out, cacheWrite, cacheRead };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part).text) ?? '')
    .join('\n');
}
