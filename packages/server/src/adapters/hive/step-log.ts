import {
  type Evidence,
  emptyEvidence,
  FINDING_KINDS,
  type Finding,
  instant,
  observeEvidence,
} from '@holter/core';
import { defaultDetectionPolicy, emptyDetectorState, observe, type Verdict } from '@holter/core/detect';
import { ownerOf, statAgentFile } from '../../files/index.ts';
import { asList, asRecord, asText, type JsonRecord, parseRecord } from '../shared/json.ts';
import { LineTail } from '../shared/line-tail.ts';
import { nextTurn } from '../shared/next-turn.ts';
import { replay } from './replay.ts';
import { shortRecord } from './short-record.ts';

const LOG_BYTES_MAX = 2 * 1024 ** 3;
/** One look of the tail reads 8 MB; a longer log is caught up with over several rounds. */
const LOOKS_MAX = 4;
/** So much is parsed before other work gets its turn; each line costs extra. */
const TURN_LENGTH_MAX = 128 * 1024;
const LINE_COST = 500;

/** By which an agent asks a person, and waits. */
const ASKING = /^(ask_user|request_(?:user_)?(?:input|credentials))/;

type LogContext = {
  readonly agentId: string;
  readonly sessionId: string;
  readonly redact: (value: unknown) => unknown;
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
  private refused: string | null = null;
  private length = 0;

  constructor(file: string, context: LogContext) {
    this.file = file;
    this.context = context;
    this.tail = new LineTail(file, 0, {
      noted: (answer) => {
        this.refused = answer.kind === 'refused' ? answer.because : null;
      },
    });
    this.evidence = this.nothing();
  }

  /** In words, while its last step was to ask a person, or ended a turn that nobody judges. */
  get waitingFor(): string | null {
    return this.waits;
  }

  /** Why the file could not be used at the last look; null if it could, or is not there yet. */
  get fault(): string | null {
    return this.refused;
  }

  async read(graphId: string): Promise<Evidence> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const lines = await this.tail.look();
      if (lines.length === 0) break;
      for (const { text, end } of lines) {
        // Another file has taken its place, and is read from its beginning.
        if (end <= this.end) this.forget();
        this.end = end;
        await this.maybeRest(text.length);
        const record = parseRecord(text);
        if (record && replay.matches(record)) this.observe(record);
      }
    }
    // A step has no time of its own.
    const rules = { isOwner: ownerOf(), bytesMax: LOG_BYTES_MAX };
    const stats = this.evidence.totalSteps === 0 ? null : await statAgentFile(this.file, rules);
    // A log that was replaced by something else does not stop the clock of its last step.
    const lastStepAt =
      stats?.kind === 'ok' ? instant(Math.floor(stats.value.mtimeMs)) : this.evidence.lastStepAt;
    const nodeId = this.evidence.nodeId === '' ? graphId : this.evidence.nodeId;
    this.evidence = { ...this.evidence, graphId, lastStepAt };
    return { ...this.evidence, nodeId };
  }

  private async maybeRest(length: number): Promise<void> {
    this.length += length + LINE_COST;
    if (this.length < TURN_LENGTH_MAX) return;
    this.length = 0;
    await nextTurn();
  }

  /** Detectors quote calls, and a judge quotes steps: secrets are removed before either sees one. */
  private observe(raw: JsonRecord): void {
    const record = asRecord(this.context.redact(shortRecord(raw)));
    let verdict: Verdict = 'CONTINUE';
    let found: readonly Finding[] = [];
    for (const item of replay.open('').push(record, 0)) {
      if (item.kind === 'verdict') verdict = item.verdict;
      if (item.kind !== 'step') continue;
      const seen = observe(this.detectors, item.step, defaultDetectionPolicy);
      this.detectors = seen.state;
      found = seen.findings;
    }
    const calls = asList(record.tool_calls).map(asRecord);
    const last = calls.at(-1);
    const nodeId = asText(record.node_id) ?? '';
    this.waits = whyWaiting(calls, verdict);
    this.evidence = observeEvidence(
      {
        ...this.evidence,
        loop: found.find(({ kind }) => FINDING_KINDS[kind].isRepeat)?.evidence ?? null,
        fruitless: found.find(({ kind }) => FINDING_KINDS[kind].isFruitless)?.evidence ?? null,
      },
      {
        verdict,
        tool: asText(last?.tool_name),
        text: asText(record.llm_text) ?? '',
        result: textOf(last?.result ?? record.error),
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

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function whyWaiting(calls: readonly JsonRecord[], verdict: Verdict): string | null {
  if (calls.some((call) => ASKING.test(asText(call.tool_name) ?? ''))) return 'an answer of a person';
  return calls.length === 0 && verdict === 'CONTINUE' ? 'the next word of a person' : null;
}
