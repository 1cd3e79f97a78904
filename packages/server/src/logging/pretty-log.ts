const levels: Readonly<Record<number, readonly [word: string, colour: number]>> = {
  10: ['trace', 90],
  20: ['debug', 90],
  30: ['info', 32],
  40: ['warn', 33],
  50: ['error', 31],
  60: ['fatal', 31],
};

const hidden = new Set(['level', 'time', 'msg', 'event', 'agentId', 'pid', 'hostname', 'v']);
const VALUE_LENGTH_MAX = 120;

/** A log record as one line that fits a tired reader: when, how bad, who, what, and the details. */
export function prettyLine(json: string, hasColour: boolean): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json.trimEnd();
  }
  const paint = (code: number, text: string): string =>
    hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [word, colour] = levels[Number(record.level)] ?? ['info', 32];
  const time = typeof record.time === 'number' ? clockTime(record.time) : '';
  const who = typeof record.agentId === 'string' ? ` ${paint(36, clean(record.agentId))}` : '';
  const details = Object.entries(record)
    .filter(([key]) => !hidden.has(key))
    .map(([key, value]) => `${paint(90, `${key}=`)}${shown(value)}`)
    .join(' ');
  const message = clean(String(record.msg ?? ''));
  return `${paint(90, time)} ${paint(colour, word.padEnd(5))}${who} ${message}${details && ` ${details}`}`;
}

function clockTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

function shown(value: unknown): string {
  if (value !== null && typeof value === 'object') {
    const error = value as { message?: unknown };
    return clean(typeof error.message === 'string' ? error.message : JSON.stringify(value));
  }
  const text = clean(String(value));
  return /\s/.test(text) ? `"${text}"` : text;
}

/** Agents choose some of these words; control characters in them could repaint somebody's terminal. */
function clean(text: string): string {
  const printable = text.replace(/\s+/g, ' ').replace(/[^\P{C}]/gu, '·');
  return printable.length > VALUE_LENGTH_MAX ? `${printable.slice(0, VALUE_LENGTH_MAX)}…` : printable;
}
