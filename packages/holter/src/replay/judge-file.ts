import type { Policy } from '@holter/core';
import type { AgentStep } from '@holter/core/detect';
import { redactValue } from '@holter/server/redaction';
import type { Price } from './price.ts';
import { readItems } from './read-items.ts';
import { addStepTo, addVerdictTo, beginRun, type RunReport } from './run-report.ts';

export type BadLine = { readonly file: string; readonly line: number; readonly because: string };

/** A file interleaves few runs (an agent and its helpers); beyond this the least recently used one is closed. */
const OPEN_MAX = 64;

type FileEvents = {
  readonly onRun: (report: RunReport) => Promise<void> | void;
  readonly onBadLine: (bad: BadLine) => void;
  readonly onBytes?: (bytes: number) => void;
};

/** Judges every run in a file and hands each over when it is complete. */
export async function judgeFile(
  file: string,
  policy: Policy,
  price: Price,
  events: FileEvents,
): Promise<void> {
  const open = new Map<string, RunReport>();
  const close = async (run: string): Promise<void> => {
    const report = open.get(run);
    open.delete(run);
    if (report !== undefined && report.steps > 0) await events.onRun(report);
  };
  const change = async (run: string, apply: (report: RunReport) => RunReport): Promise<void> => {
    const report = open.get(run) ?? beginRun(run, 'unknown', file, null);
    open.delete(run);
    open.set(run, apply(report)); // the newest is last
    const oldest = open.keys().next().value;
    if (open.size > OPEN_MAX && oldest !== undefined) await close(oldest);
  };
  for await (const item of readItems(file, events.onBytes)) {
    switch (item.kind) {
      case 'run':
        // In a file of many runs the next header ends the run before it.
        if (item.outcome !== null) for (const run of [...open.keys()]) await close(run);
        if (!open.has(item.run)) open.set(item.run, beginRun(item.run, item.agent, file, item.outcome));
        break;
      case 'step':
        await change(item.run, (report) =>
          addStepTo(report, redactValue(item.step) as AgentStep, item.index, policy, price),
        );
        break;
      case 'verdict':
        await change(item.run, (report) => addVerdictTo(report, item.verdict));
        break;
      case 'bad-line':
        events.onBadLine({ file, line: item.line, because: item.because });
        break;
    }
  }
  for (const run of [...open.keys()]) await close(run);
}
