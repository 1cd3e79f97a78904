import type { RunReport } from './run-report.ts';

/** One JSON line per run. Other programs read it, so its shape must stay stable. */
export function jsonLine({ run, steps, worst, findings }: RunReport): string {
  return `${JSON.stringify({ run, steps, worst, findings })}\n`;
}
