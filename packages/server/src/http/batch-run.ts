import type { Intake } from '../intake/index.ts';
import { parseText } from './json-body.ts';
import type { Line } from './ndjson.ts';
import { errorBody, type Refusal, refusalOf, refusalOfTaking } from './problem.ts';
import type { Caller } from './tokens.ts';
import type { DirectiveView } from './types.ts';

type Taking = Awaited<ReturnType<Intake['takeAll']>>[number];

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
  }

  /** The verdicts as text, one line each. All lines are given in order, and are durable when it returns. */
  async take(lines: readonly Line[]): Promise<string> {
    const { caller, correlationId } = this;
    const parsed = lines.map((line) => this.parse(line));
    const values = parsed.flatMap((each) => ('value' in each ? [each.value] : []));
    const taking = await this.intake.takeAll(values, caller, { correlationId });
    const taken = taking.values();
    const verdicts = await Promise.all(
      parsed.map((each) => ('value' in each ? refusalOfTaking(taken.next().value as Taking) : each)),
    );
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

  private parse(line: Line): { readonly value: unknown } | Refusal {
    if ('fault' in line) return faults[line.fault] as Refusal;
    try {
      return { value: parseText(line.text, this.depthMax) };
    } catch (error) {
      return refusalOf(error);
    }
  }
}
