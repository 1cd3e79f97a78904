import type { RunReport } from './run-report.ts';

/** One JSON line per run. Other programs read it, so its shape must stay stable. */
export function jsonLine({ run, steps, worst, findings }: RunReport): string {
  const found = findings.map(({ kind, step, severity, evidence }) => ({ kind, step, severity, evidence }));
  return `${JSON.stringify({ run, steps, worst, findings: found })}\n`;
}
