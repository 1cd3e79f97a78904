import { inWords, milliseconds } from '@holter/core';
import type { Paint } from '../terminal/paint.ts';
import { printable } from '../terminal/paint.ts';
import type { LadderMove } from './ladder.ts';
import { costOf, inDollars, inTokens, type Price } from './price.ts';
import type { Found, RunReport } from './run-report.ts';
import { type Cell, squeeze } from './strip.ts';

const COLOUR = { none: 'green', warn: 'yellow', act: 'red' } as const;
const MARK = { none: '·', warn: '▲', act: '█' } as const;
const STRIP_WIDTH = 72;
const FINDINGS_SHOWN = 12;

/** The report for people: the strip, the findings, and what they would have led to. */
export function textOf(report: RunReport, price: Price, width: number, paint: Paint): string {
  const title = `${paint('bold', printable(report.run))}  ${report.agent}, ${report.steps} steps`;
  if (report.worst === 'none') return `${paint('green', 'fine ')} ${title}\n`;
  const word = report.worst === 'act' ? paint('red', 'stuck') : paint('yellow', 'look ');
  const lines = [
    `${word} ${title}`,
    `      ${strip(squeeze(report.strip, Math.min(STRIP_WIDTH, width - 8)), paint)}`,
    ...report.findings.slice(0, FINDINGS_SHOWN).flatMap((found) => findingLines(found, paint)),
  ];
  const more = report.findings.length - FINDINGS_SHOWN;
  if (more > 0) lines.push(`      … and ${more} more`);
  if (report.ladder.moves.length > 0) {
    lines.push(`      Holter would have ${movesInWords(report.ladder.moves)}.`);
    lines.push(`      ${costLine(report, price)}`);
  }
  return `${lines.join('\n')}\n`;
}

const strip = (cells: readonly Cell[], paint: Paint): string =>
  cells.map(({ level }) => paint(COLOUR[level], MARK[level])).join('');

function findingLines({ step, kind, severity, evidence, steps }: Found, paint: Paint): readonly string[] {
  const number = paint('dim', `step ${String(step).padStart(4)}`);
  const line = `      ${number}  ${paint(COLOUR[severity], kind)}  ${printable(evidence)}`;
  return steps.length === 0
    ? [line]
    : [line, `                 ${paint('dim', printable(steps.join(' · ')))}`];
}

const VERBS = { nudge: 'nudged', escalate: 'escalated', terminate: 'terminated' } as const;

export function movesInWords(moves: readonly LadderMove[]): string {
  const first = moves[0]?.at ?? null;
  return moves
    .slice(0, 8)
    .map(({ move, step, at }) => {
      const after =
        first === null || at === null || at === first ? '' : ` (${inWords(milliseconds(at - first))} later)`;
      return `${VERBS[move]} at step ${step}${after}`;
    })
    .join(', ');
}

export function costLine({ wasted, wastedSteps }: RunReport, price: Price): string {
  if (wasted.in + wasted.out === 0)
    return `The loop went on for ${wastedSteps} steps after the first nudge (no tokens recorded).`;
  const cost = inDollars(costOf(wasted, price));
  return `After the first nudge the loop cost ${inTokens(wasted.in)} tokens in, ${inTokens(wasted.out)} out, about ${cost}.`;
}

export type Totals = {
  readonly runs: number;
  readonly warn: number;
  readonly act: number;
  readonly badLines: number;
};

export function summary({ runs, warn, act, badLines }: Totals, paint: Paint): string {
  const parts = [
    `${runs} ${runs === 1 ? 'run' : 'runs'}`,
    `${act} stuck`,
    `${warn} to look at`,
    `${runs - act - warn} fine`,
  ];
  const torn = badLines === 0 ? '' : `, ${badLines} ${badLines === 1 ? 'line' : 'lines'} skipped`;
  return `${paint('bold', parts.join(', '))}${torn}\n`;
}
