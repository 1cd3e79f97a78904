import { costOf, inDollars, type Price } from './price.ts';
import { costLine, movesInWords, type Totals } from './report-text.ts';
import type { Found, RunReport } from './run-report.ts';
import type { Cell } from './strip.ts';

/** The report as one self-contained page: no script, no font, no request. */
export const htmlHead = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Holter replay</h1>
<ul class="legend" aria-label="Colours"><li class="none">fine</li><li class="warn">look closer</li><li class="act">stuck</li><li class="move">Holter steps in</li></ul>
`;

export function htmlRun(report: RunReport, price: Price): string {
  const { run, agent, steps, worst, findings, ladder } = report;
  const word = worst === 'act' ? 'stuck' : worst === 'warn' ? 'look closer' : 'fine';
  const acted =
    ladder.moves.length === 0
      ? ''
      : `<p class="moves">Holter would have ${escapeHtml(movesInWords(ladder.moves))}. ${escapeHtml(costLine(report, price))}</p>`;
  const rows = findings.slice(0, 50).map(findingRow).join('');
  const table =
    rows === ''
      ? ''
      : `<table><thead><tr><th>Step</th><th>Finding</th><th>Evidence</th></tr></thead><tbody>${rows}</tbody></table>`;
  return `<article class="${worst}">
<h2><span class="badge ${worst}">${word}</span> ${escapeHtml(run)}</h2>
<p class="meta">${escapeHtml(agent)} · ${steps} steps${report.outcome === null || report.outcome === 'unknown' ? '' : ` · task: ${escapeHtml(report.outcome)}`}</p>
${stripSvg(report)}
${acted}${table}
</article>
`;
}

export function htmlFoot({ runs, warn, act, badLines }: Totals, wastedUsd: number): string {
  const cost = wastedUsd > 0 ? ` Loops cost about ${inDollars(wastedUsd)} after their first nudge.` : '';
  return `<footer>${runs} runs: ${act} stuck, ${warn} to look at, ${runs - act - warn} fine.${badLines > 0 ? ` ${badLines} lines skipped.` : ''}${cost}</footer>
</main>
</body>
</html>
`;
}

export const wastedUsd = (report: RunReport, price: Price): number => costOf(report.wasted, price);

const findingRow = ({ step, kind, severity, evidence, steps }: Found): string =>
  `<tr><td class="step">${step}</td><td><span class="kind ${severity}">${escapeHtml(kind)}</span></td><td>${escapeHtml(evidence)}<div class="steps">${escapeHtml(steps.join(' · '))}</div></td></tr>`;

const WIDTH = 960;
const HEIGHT = 26;

/** One rectangle per row of equal cells, and a mark for each move of the ladder. */
function stripSvg({ strip, steps, ladder, run, worst }: RunReport): string {
  const scale = WIDTH / Math.max(1, steps);
  const stretches = stretchesOf(strip.cells);
  const bars = stretches
    .map(
      ({ level, from, length }) =>
        `<rect class="${level}" x="${(from * scale).toFixed(2)}" y="0" width="${Math.max(0.5, length * scale - 0.15).toFixed(2)}" height="${HEIGHT}"/>`,
    )
    .join('');
  const marks = ladder.moves
    .map(({ step, move }) => {
      const x = Math.min(WIDTH - 1, (step + 0.5) * scale).toFixed(2);
      return `<path class="move" d="M${x} ${HEIGHT + 1} l-4 8 h8 z"><title>${move} at step ${step}</title></path>`;
    })
    .join('');
  const label = `${steps} steps of ${escapeHtml(run)}, worst: ${worst}`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 11}" role="img" aria-label="${label}" preserveAspectRatio="none">${bars}${marks}</svg>`;
}

function stretchesOf(cells: readonly Cell[]): { level: Cell['level']; from: number; length: number }[] {
  const stretches: { level: Cell['level']; from: number; length: number }[] = [];
  let from = 0;
  for (const { level, steps } of cells) {
    const last = stretches.at(-1);
    if (last !== undefined && last.level === level) last.length += steps;
    else stretches.push({ level, from, length: steps });
    from += steps;
  }
  return stretches;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replace(/\p{C}/gu, ' ');

const STYLE = `
:root{color-scheme:light dark;--bg:#fbfbfa;--fg:#1d2126;--dim:#5d6570;--line:#e2e4e7;--card:#fff;--none:#4c9f70;--warn:#d99a1c;--act:#cc4338;--move:#2f5fb3}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e8eaed;--dim:#9aa3ad;--line:#2b3036;--card:#1b1f23;--none:#4fa374;--warn:#d9a53a;--act:#e0645a;--move:#7ba4ee}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 20px 60px}h1{font-size:22px;margin:0 0 6px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:18px;padding:0;margin:0 0 22px;color:var(--dim);font-size:13px}
.legend li::before{content:"";display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;vertical-align:-1px;background:var(--c)}
.legend .none{--c:var(--none)}.legend .warn{--c:var(--warn)}.legend .act{--c:var(--act)}.legend .move{--c:var(--move)}
article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 20px 14px;margin:0 0 16px}
article.none{padding-bottom:10px}h2{font-size:16px;margin:0;overflow-wrap:anywhere;font-weight:600}
.meta{color:var(--dim);margin:2px 0 10px;font-size:13px}svg{display:block;width:100%;height:37px}
rect.none{fill:var(--none)}rect.warn{fill:var(--warn)}rect.act{fill:var(--act)}path.move{fill:var(--move)}
.badge{display:inline-block;font-size:12px;padding:1px 8px;border-radius:9px;color:#fff;vertical-align:1px;margin-right:4px}
.badge.none{background:#37794f}.badge.warn{background:#8a5f08}.badge.act{background:#b1372d}
.moves{margin:10px 0}table{border-collapse:collapse;width:100%;margin:8px 0 2px;font-size:14px}
th{text-align:left;color:var(--dim);font-weight:500;font-size:12px;border-bottom:1px solid var(--line);padding:4px 12px 4px 0}
td{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}tr:last-child td{border-bottom:0}
.step{font-variant-numeric:tabular-nums;color:var(--dim);width:56px}.kind{white-space:nowrap;border-left:4px solid;padding-left:8px}
.steps{color:var(--dim);font-size:12px}
.kind.warn{border-color:var(--warn)}.kind.act{border-color:var(--act)}footer{color:var(--dim);margin-top:24px}
`;
