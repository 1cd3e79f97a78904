import type { Signal } from '@holter/core';
import { type Intake, isSignal } from '../intake/intake.ts';
import { parseText } from './json-body.ts';
import type { Line } from './ndjson.ts';
import { errorBody, type Refusal, refusalOf } from './problem.ts';
import type { Caller } from './tokens.ts';
import type { DirectiveView } from './types.ts';

const TAKEN = '{"ok":true}\n';

const faults: Readonly<Record<string, Refusal>> = {
  line_too_long: { status: 413, code: 'line_too_long', message: 'the line is longer than a signal may be' },
  bad_utf8: { status: 400, code: 'bad_utf8', message: 'the line is not valid UTF-8' },
};

/** One request with many signals: each line is judged by itself, and a bad one spoils no other. */
export class BatchRun {
  private readonly intake: Intake;
  private readonly caller: Caller;
  private readonly correlationId: string;
  private readonly depthMax: number;
  private incarnation: number | undefined;
  private isPrepared: boolean;
  private accepted = 0;
  private refused = 0;

  constructor(
    intake: Intake,
    caller: Caller,
    { correlationId, depthMax }: { correlationId: string; depthMax: number },
  ) {
    this.intake = intake;
    this.caller = caller;
    this.correlationId = correlationId;
    this.depthMax = depthMax;
    this.isPrepared = caller.role !== 'agent';
  }

  /** The verdicts as text, one line each. All lines are given in order, and are durable when it returns. */
  async take(lines: readonly Line[]): Promise<string> {
    const read = lines.map((line) => this.read(line));
    if (!this.isPrepared) await this.prepare(read.find(isSignal));
    const verdicts = await Promise.all(read.map((each) => (isSignal(each) ? this.give(each) : each)));
    let text = '';
    for (const refusal of verdicts) {
      if (refusal === null) {
        this.accepted += 1;
        text += TAKEN;
      } else {
        this.refused += 1;
        text += `${JSON.stringify({ ok: false, line: this.accepted + this.refused, ...errorBody(refusal) })}\n`;
      }
    }
    return text;
  }

  summary(failure: Refusal | null, directives: readonly DirectiveView[]): string {
    const { accepted, refused } = this;
    return `${JSON.stringify({ done: failure === null, accepted, refused, directives, ...(failure && errorBody(failure)) })}\n`;
  }

  private read(line: Line): Signal | Refusal {
    if ('fault' in line) return faults[line.fault] as Refusal;
    try {
      return this.intake.read(parseText(line.text, this.depthMax), this.caller);
    } catch (error) {
      return refusalOf(error);
    }
  }

  private async prepare(first: Signal | undefined): Promise<void> {
    if (!first) return;
    this.isPrepared = true;
    this.incarnation = (await this.intake.prepare(first, this.caller)).incarnation;
  }

  private give(signal: Signal): Promise<Refusal | null> {
    const { incarnation } = this;
    const full =
      incarnation === undefined || signal.incarnation !== undefined ? signal : { ...signal, incarnation };
    return this.intake.give(full, this.caller, this.correlationId);
  }
}
