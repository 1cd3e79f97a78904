import { neverHappened, unlisted } from '../coverage/holes.ts';
import { coverageTable } from '../coverage/table.ts';
import type { SoakLimits, SoakTotals } from './soak.ts';

export const SOAK_EXIT = { clean: 0, violation: 1, usage: 2, hole: 3 } as const;

/** A violation is worse than a hole: what was checked is false, while a hole was only never checked. */
export function soakExit({ violations, coverage }: SoakTotals): number {
  if (violations.length > 0) return SOAK_EXIT.violation;
  const hasHole = neverHappened(coverage).some(({ because }) => because === null);
  return hasHole || unlisted(coverage).length > 0 ? SOAK_EXIT.hole : SOAK_EXIT.clean;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

export function soakReport(totals: SoakTotals, seconds: number): string {
  const { seeds, agentHours, events, violations, wrongTerminations, coverage } = totals;
  const told = violations.map(({ seed, ...violation }) => violationLines(violation, seed));
  return [
    coverageTable(coverage),
    '',
    ...told,
    `${whole(seeds)} seeds, ${whole(agentHours)} agent-hours, ${whole(events)} inputs in ${inWords(seconds)}`,
    `${whole(violations.length)} violations, ${whole(wrongTerminations)} wrong terminations`,
  ].join('\n');
}

export function soakJson(totals: SoakTotals, seconds: number): string {
  const holes = neverHappened(totals.coverage);
  return JSON.stringify({
    ...totals,
    wallSeconds: Math.round(seconds * 10) / 10,
    unexplained: holes
      .filter(({ because }) => because === null)
      .map(({ section, item }) => `${section}: ${item}`),
    unlisted: unlisted(totals.coverage),
  });
}

export function violationLines(
  { invariant, what, again }: { invariant: number | null; what: string; again: string },
  seed: number,
): string {
  const broken = invariant === null ? 'the core threw' : `invariant ${invariant} broken`;
  return `${broken} in seed ${seed}: ${what}\n  again: ${again}`;
}

/** One line for a terminal: how much, how fast, how long still. */
export function progressLine(totals: SoakTotals, seconds: number, limits: SoakLimits): string {
  const { seeds, agentHours, violations } = totals;
  const perSecond = seconds > 0 ? agentHours / seconds : 0;
  const rests = [
    ...(limits.seconds === undefined ? [] : [limits.seconds - seconds]),
    ...(limits.agentHours === undefined || perSecond === 0
      ? []
      : [(limits.agentHours - agentHours) / perSecond]),
  ];
  const rest = rests.length === 0 ? '' : `, ${inWords(Math.max(0, Math.min(...rests)))} to go`;
  const bad = `${whole(violations.length)} violations`;
  return `${whole(seeds)} seeds, ${whole(agentHours)} agent-hours (${whole(perSecond)} per second), ${bad}${rest}`;
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
