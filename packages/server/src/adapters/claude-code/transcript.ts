/**
 * A Claude Code transcript: one line per content block. Text that comes with a call (same message id) is its
 * thought; text that does not is a message. `attachment` lines hold what hooks said, Holter's own nudges among
 * them: they are not the agent's words and are left out. Side chains (helpers that the agent started) are runs
 * of their own. Used live, by the tail, and on recorded files, by `holter replay`.
 */
export type TranscriptFact = {
  /** The session, or `session/helper` for a side chain. */
  readonly run: string;
  /** As the line says it; information only. */
  readonly at: string | null;
} & (
  | { readonly kind: 'call-begun'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: 'call-ended';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
      readonly text: string | null;
      readonly output: string;
      readonly isError: boolean;
      /** Of the message that made the call, with its first call only. */
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'said';
      readonly role: 'assistant' | 'user' | 'system';
      readonly text: string;
      readonly promptId: string | null;
    }
  | { readonly kind: 'compaction'; readonly text: string | null }
  /** Once per message of the model, however many lines it takes. */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly model: string; readonly isEndOfTurn: boolean }
);

export type Usage = {
  /** Read by the model, from the cache or not. */
  readonly in: number;
  readonly out: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
};

type Pending = { readonly run: string; readonly messageId: string; text: string; readonly at: string | null };
type OpenCall = {
  readonly tool: string;
  readonly input: unknown;
  readonly text: string | null;
  readonly usage: Usage | null;
};
type Line = Readonly<Record<string, unknown>>;

/** What the harness writes in the user's name. */
const HARNESS =
  /^\s*(?:<(?:command-|local-command|system-reminder|bash-)|Caveat: |\[Request interrupted|Stop hook feedback)/;

/** Bounded: results that never come must not fill the memory, so the oldest call is forgotten first. */
const OPEN_MAX = 1_000;
/** A resumed session repeats its last lines. */
const SEEN_MAX = 4_000;

export class TranscriptReader {
  private readonly open = new Map<string, OpenCall>();
  private readonly seen = new Set<string>();
  private readonly counted = new Set<string>();
  private readonly metered = new Set<string>();
  private pending: Pending | null = null;
  private readonly fallback: string;

  /** `fallback` names the run of lines that do not. */
  constructor(fallback: string) {
    this.fallback = fallback;
  }

  push(line: Line): readonly TranscriptFact[] {
    const { type } = line;
    if (type !== 'assistant' && type !== 'user' && type !== 'system') return [];
    const uuid = asText(line.uuid);
    if (uuid !== null && !addNew(this.seen, uuid, SEEN_MAX)) return [];
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

  private runOf(line: Line): string {
    const session = asText(line.sessionId) ?? this.fallback;
    return line.isSidechain === true ? `${session}/${asText(line.agentId) ?? 'sidechain'}` : session;
  }

  private assistant(line: Line, run: string): readonly TranscriptFact[] {
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
      else if (block.type === 'tool_use') facts.push(this.begin(run, at, block, message, messageId));
    }
    const usage = usageOf(message);
    if (usage && addNew(this.metered, messageId, SEEN_MAX)) {
      const isEndOfTurn = message.stop_reason === 'end_turn';
      facts.push({ kind: 'usage', run, at, usage, model: asText(message.model) ?? '', isEndOfTurn });
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
    block: Line,
    message: Line,
    messageId: string,
  ): TranscriptFact {
    const text = this.pending?.text ?? null;
    this.pending = null;
    const usage = addNew(this.counted, messageId, SEEN_MAX) ? usageOf(message) : null;
    const callId = asText(block.id) ?? '';
    const call = { tool: asText(block.name) ?? '', input: block.input ?? null };
    this.open.set(callId, { ...call, text, usage });
    const oldest = this.open.keys().next().value;
    if (this.open.size > OPEN_MAX && oldest !== undefined) this.open.delete(oldest);
    return { kind: 'call-begun', run, at, callId, ...call };
  }

  private user(line: Line, run: string): readonly TranscriptFact[] {
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

  private end(run: string, at: string | null, block: Line): readonly TranscriptFact[] {
    const callId = asText(block.tool_use_id) ?? '';
    const call = this.open.get(callId);
    this.open.delete(callId);
    if (!call) return [];
    const output = textOf(block.content);
    return [{ kind: 'call-ended', run, at, callId, ...call, output, isError: block.is_error === true }];
  }
}

function spoken(line: Line, run: string, text: string): TranscriptFact {
  const isHarness = line.isMeta === true || HARNESS.test(text);
  const role = isHarness ? 'system' : 'user';
  return { kind: 'said', role, run, at: asText(line.timestamp), text, promptId: asText(line.promptId) };
}

/** True the first time; the oldest are forgotten. */
function addNew(ids: Set<string>, id: string, max: number): boolean {
  if (ids.has(id)) return false;
  ids.add(id);
  const oldest = ids.values().next().value;
  if (ids.size > max && oldest !== undefined) ids.delete(oldest);
  return true;
}

function usageOf(message: Line): Usage | null {
  const usage = asRecord(message.usage);
  const cacheWrite = asNumber(usage.cache_creation_input_tokens);
  const cacheRead = asNumber(usage.cache_read_input_tokens);
  const read = asNumber(usage.input_tokens) + cacheWrite + cacheRead;
  const out = asNumber(usage.output_tokens);
  return read + out === 0 ? null : { in: read, out, cacheWrite, cacheRead };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part).text) ?? '')
    .join('\n');
}

const asRecord = (value: unknown): Line =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Line) : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const asNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;
