import { isShellList } from './call-shape.ts';
import { canonicalCommand, withoutComments } from './canonical-command.ts';
import { COMMENTARY, COMMENTARY_KEY } from './commentary.ts';
import { finish, hashRaw, hashTidy, mix, mixString } from './hash.ts';
import { argumentName, toolName } from './names.ts';

/**
 * Two calls are the same call when they would do the same. Key order and whitespace do not matter, and neither do
 * arguments in which an agent comments on its call (`description`, `thought`) or counts it (`attempt`): a loop in
 * which only those vary is a loop (OpenHands #15087). An id of the request is left out as well, unless it is all that
 * the call says, or what its tool is named after: five traces are five questions. Whitespace inside text of several
 * lines does matter: there it is indentation. Commands lose what does nothing, see `canonical-command.ts`.
 *
 * Rejected: hashing `JSON.stringify` of sorted copies. It allocates the whole input again; a walk does not.
 */
/** The arguments as text, without the agent's comments on them. */
export function argumentsText(input: unknown): string {
  if (typeof input === 'string') return input;
  const text = JSON.stringify(input) ?? '';
  // Searched for first: a replacer makes `JSON.stringify` five times as slow.
  if (!COMMENTARY_KEY.test(text)) return text;
  return JSON.stringify(input, (key, value) => (COMMENTARY.has(key) ? undefined : value));
}

const DEPTH_MAX = 12;

export function hashCall(tool: string, input: unknown): number {
  const { hash, isFinish } = toolName(tool);
  // Declaring the work finished is the same call in any wording.
  return finish(mixValue(hash, isFinish ? withoutProse(input) : input, 0, tool));
}

function withoutProse(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !isProse(value) && !COMMENTARY.has(key)),
  );
}

const isProse = (value: unknown): boolean =>
  typeof value === 'string' && value.trim().split(/\s+/, 3).length === 3;

function mixValue(hash: number, value: unknown, depth: number, tool = ''): number {
  if (typeof value === 'string') return mixText(mix(hash, 1), value);
  if (typeof value === 'number' || typeof value === 'boolean') return mixString(mix(hash, 2), String(value));
  if (value === null || value === undefined || depth > DEPTH_MAX) return mix(hash, 3);
  if (Array.isArray(value)) {
    let mixed = mix(hash, 4);
    for (const item of value) mixed = mixValue(mixed, item, depth + 1);
    return mix(mixed, 5);
  }
  if (typeof value !== 'object') return mix(hash, 6);
  return mixRecord(hash, value as Record<string, unknown>, depth, tool);
}

/** Hashes of entries are summed, so that their order does not matter and nothing needs sorting. */
function mixRecord(hash: number, record: Record<string, unknown>, depth: number, tool: string): number {
  let sum = 0;
  let commentary = 0;
  let envelope = 0;
  let entries = 0;
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined) continue;
    const name = argumentName(key);
    if (depth === 0 && name.isCounted) continue;
    const same = depth === 0 && name.isCommand ? canonicalCommandIn(key, value) : value;
    const entry = finish(mixValue(name.hash, same, depth + 1));
    if (depth === 0 && name.isCommentary) {
      commentary = (commentary + entry) | 0;
      continue;
    }
    if (depth === 0 && name.subject?.test(tool) === false) {
      envelope = (envelope + entry) | 0;
      continue;
    }
    sum = (sum + entry) | 0;
    entries += 1;
  }
  if (entries > 0) return mix(mix(hash, 7), sum);
  // A tool that takes only an id, or only comments (a think tool, a final answer), is distinguished by them.
  return mix(mix(hash, 7), envelope === 0 ? commentary : envelope);
}

/** Also of an argument list that hands one text to a shell: `["bash", "-lc", "make test"]`. */
function canonicalCommandIn(key: string, value: unknown): unknown {
  if (typeof value === 'string') return key === 'code' ? withoutComments(value) : canonicalCommand(value);
  if (!Array.isArray(value) || !isShellList(value)) return value;
  return [...value.slice(0, -1), canonicalCommand(String(value[value.length - 1]))];
}

function mixText(hash: number, text: string): number {
  const tidy = hashTidy(text);
  if (tidy !== null) return mix(hash, tidy);
  if (text.includes('\n')) return mix(hash, hashRaw(text.trim().replaceAll('\r\n', '\n')));
  return mix(hash, hashRaw(text.trim().replace(BLANKS, ' ')));
}

/** All but a single space, which would be replaced by itself. */
const BLANKS = /[ \t]{2,}|\t/g;
