/** A small picture of two words, as READMEs show them. */
export type Badge = { readonly label: string; readonly text: string; readonly colour: Colour };

const COLOURS = {
  HEALTHY: '#2a7d3f',
  DEGRADED: '#96690c',
  STUCK: '#b3541e',
  FAILING: '#b02a37',
  TERMINATED: '#5f6772',
  unknown: '#5f6772',
} as const;
export type Colour = keyof typeof COLOURS;

const HEIGHT = 20;
const PADDING = 6;
const NARROW = /[ijlI.:,;|!'()[\] -]/;
const WIDE = /[mwMW@%]/;

/** Of Verdana at 11 px, roughly; `textLength` makes the letters fit whatever the font is. */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += NARROW.test(letter) ? 4 : WIDE.test(letter) ? 10 : 7;
  return width;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? '');

/** White on each of these colours has a contrast of at least 4.5 to 1. */
export function badgeSvg({ label, text, colour }: Badge): string {
  const left = widthOf(label) + 2 * PADDING;
  const right = widthOf(text) + 2 * PADDING;
  const width = left + right;
  const words = (x: number, of: string): string =>
    `<text x="${x + PADDING}" y="14" textLength="${widthOf(of)}" lengthAdjust="spacingAndGlyphs">${escaped(of)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${escaped(`${label}: ${text}`)}">`,
    `<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="${HEIGHT}" fill="#444c56"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[colour]}"/></g>`,
    `<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">${words(0, label)}${words(left, text)}</g>`,
    '</svg>\n',
  ].join('');
}
