/**
 * Converts any value to JSON of bounded size in bounded time: it must neither throw nor delay the agent. Equal
 * values give equal JSON, on which the detection of loops depends; omissions are marked.
 */
const DEPTH_MAX = 16;
const NODES_MAX = 2_000;
const CHARACTERS_MAX = 64 * 1_024;
const OUTPUT_HEAD = 32 * 1_024;
const OUTPUT_TAIL = 1_024;

type Budget = { nodes: number; characters: number };

export function toJson(value: unknown): unknown {
  return copy(value, DEPTH_MAX, { nodes: NODES_MAX, characters: CHARACTERS_MAX });
}

/** Text of a result; a long one keeps its head, its tail and its length. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return shorten(value);
  if (value === undefined) return '';
  if (value instanceof Error) return shorten(`${value.name}: ${value.message}`);
  return shorten(JSON.stringify(toJson(value)) ?? '');
}

function shorten(text: string): string {
  if (text.length <= OUTPUT_HEAD + OUTPUT_TAIL) return text;
  return `${text.slice(0, OUTPUT_HEAD)}…[${text.length} characters]…${text.slice(-OUTPUT_TAIL)}`;
}

function copy(value: unknown, depthLeft: number, budget: Budget): unknown {
  budget.nodes -= 1;
  if (budget.nodes < 0) return '[too much]';
  switch (typeof value) {
    case 'string':
      return copyText(value, budget);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : copyObject(value, depthLeft, budget);
    case 'undefined':
      return null;
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
  }
}

function copyText(text: string, budget: Budget): string {
  const kept = text.slice(0, Math.max(0, budget.characters));
  budget.characters -= kept.length;
  return kept.length === text.length ? text : `${kept}…[${text.length} characters]`;
}

function copyObject(value: object, depthLeft: number, budget: Budget): unknown {
  if (depthLeft === 0) return '[too deep]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return copyText(`${value.name}: ${value.message}`, budget);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.nodes <= 0) return [...items, '[too much]'];
      items.push(copy(item, depthLeft - 1, budget));
    }
    return items;
  }
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === '__proto__') continue;
    if (budget.nodes <= 0) break;
    budget.characters -= key.length;
    const item = read(value, key);
    if (item !== undefined) copied[key] = copy(item, depthLeft - 1, budget);
  }
  return copied;
}

/** A getter may throw. */
function read(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch {
    return '[unreadable]';
  }
}
