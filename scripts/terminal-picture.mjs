// `tmux capture-pane -e -p -t PANE | node scripts/terminal-picture.mjs "WHAT IT SHOWS" > PICTURE.svg`: turns a
// captured terminal into an SVG picture whose text stays text. Knows only the colours that Holter uses.

import { readFileSync } from 'node:fs';

const COLUMN = 8.4;
const ROW = 19;
const PAD = 16;
const COLOURS = {
  30: '#6e7681',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  37: '#c9d1d9',
  90: '#6e7681',
};

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Splits a line into pieces of one style each, at escape sequences such as `ESC[1;31m`. */
function piecesOf(line, style) {
  const pieces = [];
  for (const part of line.split('\u001b[')) {
    const [, codes, text] = /^([\d;]*)m([\s\S]*)$/.exec(part) ?? [null, null, part];
    if (codes !== null) for (const code of codes.split(';').map(Number)) apply(style, code);
    if (text) pieces.push({ text, ...style });
  }
  return pieces;
}

function apply(style, code) {
  if (code === 0) Object.assign(style, { colour: null, isBold: false, isDim: false });
  else if (code === 1) style.isBold = true;
  else if (code === 2) style.isDim = true;
  else if (code === 22) Object.assign(style, { isBold: false, isDim: false });
  else if (code === 39) style.colour = null;
  else if (COLOURS[code]) style.colour = COLOURS[code];
}

const title = escaped(process.argv[2] ?? 'a terminal');
const lines = readFileSync(0, 'utf8').replace(/\n+$/, '').split('\n');
const style = { colour: null, isBold: false, isDim: false };
const rows = lines.map((line) => piecesOf(line, style));
const columns = Math.max(60, ...rows.map((row) => row.reduce((sum, { text }) => sum + text.length, 0)));
const width = Math.ceil(columns * COLUMN + 2 * PAD);
const height = Math.ceil(rows.length * ROW + 2 * PAD);

const drawn = rows.map((row, index) => {
  let column = 0;
  const spans = row.map(({ text, colour, isBold, isDim }) => {
    const x = (PAD + column * COLUMN).toFixed(1);
    column += text.length;
    const look = `${colour ? ` fill="${colour}"` : ''}${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.6"' : ''}`;
    return `<tspan x="${x}"${look}>${escaped(text)}</tspan>`;
  });
  return `<text y="${PAD + (index + 0.75) * ROW}" xml:space="preserve">${spans.join('')}</text>`;
});

process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9">
${drawn.join('\n')}
</g>
</svg>
`,
);
