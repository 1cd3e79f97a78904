import type { RunReport } from './run-report.ts';

/** One line per run; also how we score ourselves, so the shape is a promise. */
export function jsonLine({ run, steps, worst, findings }: RunReport): string {
  return `${JSON.stringify({ run, steps, worst, findings })}\n`;
}
