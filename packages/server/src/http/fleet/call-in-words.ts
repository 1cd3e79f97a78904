/** How much of a call is kept in memory for people; ten thousand agents have thirty calls each. */
const SHOWN_MAX = 160;
const FIELDS_MAX = 6;

/**
 * The arguments of a call on one line. Intake has redacted them. What a tool is mostly about, its command or path,
 * is written without a name.
 */
export function inputInWords(input: unknown): string | null {
  if (input === undefined || input === null) return null;
  if (typeof input !== 'object') return lineOf(String(input));
  const fields = Object.entries(input).slice(0, FIELDS_MAX);
  const words = fields.flatMap(([name, value]) => {
    const text = textOf(value);
    if (text === '') return [];
    return MAIN_FIELDS.has(name) ? [text] : [`${name}: ${text}`];
  });
  return words.length === 0 ? null : lineOf(words.join(', '));
}

const MAIN_FIELDS: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
]);

/** The beginning of what a call returned. */
export const outputInWords = (output: string | undefined): string | null =>
  output === undefined || output === '' ? null : lineOf(output);

function textOf(value: unknown): string {
  if (typeof value === 'string') return lineOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '' : `${value.length} items`;
  return value === null || value === undefined ? '' : '{…}';
}

function lineOf(text: string): string {
  const head = text
    .slice(0, SHOWN_MAX * 2)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return head.length > SHOWN_MAX || text.length > SHOWN_MAX * 2 ? `${head.slice(0, SHOWN_MAX)}…` : head;
}
