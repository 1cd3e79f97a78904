import { type Evidence, emptyEvidence, FINDING_KINDS, instant, observeEvidence } from '@holter/core';
import { defaultDetectionPolicy, emptyDetectorState, observe, type Verdict } from '@holter/core/detect';
import { ownerOf, statAgentFile } from '../../files/index.ts';
import { asList, asRecord, asText, type JsonRecord, parseRecord } from '../shared/json.ts';
import { LineTail } from '../shared/line-tail.ts';
import { replay } from './replay.ts';

const LOG_BYTES_MAX = 2 * 1024 ** 3;
/** One look of the tail reads 8 MB; a longer log is caught up with over several rounds. */
const LOOKS_MAX = 4;

/** By which an agent asks a person, and waits. */
const ASKING = /^(ask_user|request_(?:user_)?(?:input|credentials))/;

type LogContext = {
  readonly agentId: string;
  readonly sessionId: string;
  readonly redact: (text: string) => string;
};

/** Reads on in a `tool_logs.jsonl`: one line is one step. */
export class StepLog {
  private readonly file: string;
  private readonly context: LogContext;
  private readonly tail: LineTail;
  private detectors = emptyDetectorState;
  private evidence: Evidence;
  private end = 0;
  private waits: string | null = null;

  constructor(file: string, context: LogContext) {
    this.file = file;
    this.context = context;
    this.tail = new LineTail(file, 0);
    this.evidence = this.nothing();
  }

  /** In words, while its last step was to ask a person, or ended a turn that nobody judges. */
  get waitingFor(): string | null {
    return this.waits;
  }

  async read(graphId: string): Promise<Evidence> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const lines = await this.tail.look();
      if (lines.length === 0) break;
      for (const { text, end } of lines) {
        // Another file has taken its place, and is read from its beginning.
        if (end <= this.end) this.forget();
        this.end = end;
        const record = parseRecord(text);
        if (record && replay.matches(record)) this.observe(record);
      }
    }
    // A step has no time of its own.
    const rules = { isOwner: ownerOf(), bytesMax: LOG_BYTES_MAX };
    const stats = this.evidence.totalSteps === 0 ? null : await statAgentFile(this.file, rules);
    const lastStepAt = stats?.kind === 'ok' ? instant(Math.floor(stats.value.mtimeMs)) : null;
    const nodeId = this.evidence.nodeId === '' ? graphId : this.evidence.nodeId;
    this.evidence = { ...this.evidence, graphId, lastStepAt };
    return { ...this.evidence, nodeId };
  }

  private observe(record: JsonRecord): void {
    let verdict: Verdict = 'CONTINUE';
    let loop: string | null = null;
    for (const item of replay.open('').push(record, 0)) {
      if (item.kind === 'verdict') verdict = item.verdict;
      if (item.kind !== 'step') continue;
      const seen = observe(this.detectors, item.step, defaultDetectionPolicy);
      this.detectors = seen.state;
      loop = seen.findings.find(({ kind }) => FINDING_KINDS[kind].isRepeat)?.evidence ?? null;
    }
    const { redact } = this.context;
    const calls = asList(record.tool_calls).map(asRecord);
    const last = calls.at(-1);
    const nodeId = asText(record.node_id) ?? '';
    this.waits = whyWaiting(calls, verdict);
    this.evidence = observeEvidence(
      { ...this.evidence, loop },
      {
        verdict,
        tool: asText(last?.tool_name),
        text: redact((asText(record.llm_text) ?? '').slice(-TEXT_MAX)),
        result: redact(textOf(last?.result ?? record.error).slice(0, TEXT_MAX)),
        isError: last?.is_error === true,
        at: null,
        ...(nodeId !== '' && { nodeId }),
      },
    );
  }

  private forget(): void {
    this.detectors = emptyDetectorState;
    this.evidence = this.nothing();
  }

  private nothing(): Evidence {
    const { agentId, sessionId } = this.context;
    return emptyEvidence({ agentId, sessionId, graphId: '' });
  }
}

const TEXT_MAX = 2_000;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function whyWaiting(calls: readonly JsonRecord[], verdict: Verdict): string | null {
  if (calls.some((call) => ASKING.test(asText(call.tool_name) ?? ''))) return 'an answer of a person';
  return calls.length === 0 && verdict === 'CONTINUE' ? 'the next word of a person' : null;
}
