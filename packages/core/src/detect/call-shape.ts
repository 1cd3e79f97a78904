import { changesSomething } from './change-command.ts';
import { COMMENTARY } from './commentary.ts';
import { finish, hashString } from './hash.ts';
import { argumentName, COMMAND_KEYS, toolName } from './names.ts';

/**
 * The sort of a call, by its shape rather than its name: tool names differ in every harness, but an edit always has
 * a place and content, a command is a string or an argument list, and a thought is only text. Each check runs only
 * where its answer matters: most steps are new, and a new step is never checked for waiting.
 */
const PATCH = /^[ \t]{0,8}(?:\*\*\* (?:Begin Patch|Update File|Add File)|diff --git |--- \S|@@ )/m;
const WRITES =
  /(?:^|[;&|]\s*|\s)(?:sed\s+-[a-z]*i|tee\s|patch\s|mv\s|cp\s|rm\s|touch\s|mkdir\s|git\s+(?:apply|checkout|revert|stash|mv|rm|restore|reset|commit|merge|cherry-pick|bisect|switch|pull|rebase)|(?:npm|pnpm|yarn|pip|cargo|go|apt-get|apt)\s+(?:install|add|remove|get|i)\b)|(?:^|[^0-9&>=-])>>?\s*(?!\/dev\/|&)[\w./~$"'-]+/;
/** `sleep 5`, `Start-Sleep -s 5`, `time.sleep(5)`, `setTimeout(done, 5000)`, but not `sleep 5 &`. */
const SLEEP =
  /(?:^|[;&|({\s.])(?:(?:sleep|timeout \/t|start-sleep(?: -s(?:econds)?)?)(?:\s{1,9}|\()(\d{1,6}(?:\.\d{1,6})?)([smh]?)(?![\d.]|\s{0,9}&(?!&))|settimeout\([^,\n]{1,80},\s{0,9}(\d{1,9}))/gi;
/** Cheap: most commands do not sleep. */
const SLEEP_HINT = /sleep|timeout/i;
/** `wait` and `tail -f` last as long as the thing waited for. */
const WAIT_COMMAND = /(?:^|[;&|]\s*)(?:wait|watch)\b|\s(?:--watch|watch)(?:\s|$)/;
/** A pause of a second between two calls is no wait. */
const SHORT_WAIT_MS = 2_000;
/** A shorter pause is only a wait if the call does nothing else than look: services need a moment to start. */
export const LONG_WAIT_MS = 10_000;
const COMMAND_MAX = 2_000;

/** The call declares that it waits: a wait tool, a long sleep, or a short one before a look. */
export function isWaitCall(tool: string, input: unknown): boolean {
  if (toolName(tool).isWait) return true;
  const command = commandOf(input).slice(0, COMMAND_MAX);
  if (command === '') return false;
  const sleepMs = sleepMsIn(command);
  return (
    sleepMs >= LONG_WAIT_MS || WAIT_COMMAND.test(command) || (sleepMs >= SHORT_WAIT_MS && isLook(command))
  );
}

/** How long the call says that it sleeps; 0 if it does not. */
export const sleepMsOf = (input: unknown): number => sleepMsIn(commandOf(input).slice(0, COMMAND_MAX));

/** The command changes something, in the workspace or outside; false for calls that are no commands. */
export function isChangeCall(input: unknown): boolean {
  const command = commandOf(input).slice(0, COMMAND_MAX);
  return command !== '' && !isLook(command);
}

/** What is kept in a temporary file only to be read by the next command. */
const INTO_TEMP = /(?:>>?|\btee(?: -a)?)\s{0,4}["']?\/tmp\/[\w./-]{1,200}["']?/g;

const isLook = (command: string): boolean =>
  !(WRITES.test(command) && WRITES.test(command.replace(INTO_TEMP, ''))) && !changesSomething(command);

/** If it succeeds, it changes something in the workspace. */
export function isEditCall(input: unknown): boolean {
  if (hasEditShape(input)) return true;
  const command = commandOf(input);
  return command !== '' && WRITES.test(command);
}

const CHECK =
  /(?:^|[^a-z])(?:tests?|spec|checks?|lint(?:er)?|tsc|mypy|ruff|eslint|biome|prettier|fmt|format|clippy|build|compile|make|ninja|gradlew?|mvnw?|cargo|tox|nox|pytest|jest|vitest|mocha|rspec|typecheck|verify|validate|vet|diagnostics|problems)(?![a-z])/i;

/** A check that is made after edits by nature: tests, linters, compilers. */
export const isCheckCall = (tool: string, input: unknown): boolean =>
  CHECK.test(tool) || CHECK.test(commandOf(input).slice(0, COMMAND_MAX));

/** A logged thought: text and nothing else. */
export function isThoughtCall(tool: string, input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  let count = 0;
  let isAllThought = true;
  for (const key of Object.keys(input)) {
    count += 1;
    if (count > 2 || typeof (input as Record<string, unknown>)[key] !== 'string') return false;
    isAllThought &&= argumentName(key).isThought;
  }
  return count > 0 && (isAllThought || (count === 1 && toolName(tool).isThink));
}

export function commandOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const record = input as Record<string, unknown>;
  for (const key of COMMAND_KEYS) {
    const value = record[key];
    if (typeof value === 'string' && value !== '') return value;
    // ["bash", "-lc", "make test"]: the last word is the command; a plain argv is joined.
    if (Array.isArray(value) && value.length > 0) {
      return isShellList(value) ? String(value[value.length - 1]) : value.map(String).join(' ');
    }
  }
  return '';
}

/** An argument list that hands one text to a shell. */
export const isShellList = (list: readonly unknown[]): boolean =>
  list.length >= 3 && /^-\w*c$/.test(String(list[1]));

function hasEditShape(input: unknown): boolean {
  if (typeof input === 'string') return PATCH.test(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  let hasPlace = false;
  let hasContent = false;
  for (const key of Object.keys(input)) {
    const value = (input as Record<string, unknown>)[key];
    const name = argumentName(key);
    if (name.isPlace) hasPlace = true;
    else if (name.isContent && value !== null && value !== undefined) {
      hasContent = true;
      if (Array.isArray(value)) hasPlace ||= hasPlaceInside(value);
    }
    if (typeof value === 'string' && value.length > 12 && PATCH.test(value.slice(0, 400))) return true;
  }
  return hasPlace && hasContent;
}

/** A list of changes names the file of each. */
function hasPlaceInside(changes: readonly unknown[]): boolean {
  const first = changes[0];
  return (
    typeof first === 'object' && first !== null && Object.keys(first).some((key) => argumentName(key).isPlace)
  );
}

function sleepMsIn(command: string): number {
  if (!SLEEP_HINT.test(command)) return 0;
  let sum = 0;
  for (const [, count, unit, ms] of command.matchAll(SLEEP)) {
    const unitMs = unit === 'm' ? 60_000 : unit === 'h' ? 3_600_000 : 1_000;
    sum += count === undefined ? Number(ms) : Number(count) * unitMs;
  }
  return sum;
}

/** The file that a call names; 0 if it names none. */
export function placeOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 0;
  for (const [key, value] of Object.entries(input))
    if (typeof value === 'string' && argumentName(key).isPlace) return hashString(value);
  return 0;
}

/**
 * The places that a call looks at: its path-like words, without patterns. Twelve spellings looked for in one folder
 * are a search that is stuck; one question put to twelve files is a sweep.
 */
/** Arguments that say what is searched for, not where. */
const QUESTION = /pattern|query|regex|search|glob|keyword|^name$|^q$/i;

export function placesKey(tool: string, input: unknown): number {
  let sum = hashString(tool);
  eachWord(input, (word, key) => {
    if (isPlaceWord(word) && !QUESTION.test(key)) sum = (sum + hashString(word)) | 0;
  });
  return finish(sum);
}

/** What a call asks, whatever the place: its words without places and numbers. */
export function questionKey(tool: string, input: unknown): number {
  let sum = hashString(tool);
  eachWord(input, (word, key) => {
    if (!isPlaceWord(word) && !argumentName(key).isPlace && !DIGIT.test(word))
      sum = (sum + hashString(word)) | 0;
  });
  return finish(sum);
}

const DIGIT = /[0-9]/;

const isPlaceWord = (word: string): boolean =>
  /^(?!-)[^*?\\^$[\]{}]*(?:\/|\.\w{1,5}$)/.test(word) && !/^\d+(?:\.\d+)*$/.test(word) && !/[*?]/.test(word);

/** Every word of the arguments, with the key under which it stands. */
function eachWord(input: unknown, visit: (word: string, key: string) => void): void {
  const walk = (value: unknown, key: string, depth: number): void => {
    if (typeof value === 'string') {
      for (const word of value.slice(0, 400).split(/[\s"'`;|&()=,]+/)) visit(word, key);
    } else if (typeof value === 'object' && value !== null && depth < 4) {
      for (const [name, item] of Object.entries(value))
        if (!COMMENTARY.has(name)) walk(item, name, depth + 1);
    }
  };
  walk(input, '', 0);
}

const LABEL_MAX = 60;
/** Whitespace, control and direction characters, and the quote that encloses the label. */
const UNPRINTABLE = /[\s`\p{Cc}\p{Cf}]+/gu;

/** Most labels are words with single spaces between them, in which nothing is to be replaced. */
const UNTIDY = /[^ -_a-~]|^ | $| {2}/;

/** How a person recognises the call: `npm test`, or `Read src/a.ts`. Never output. */
export function labelOf(tool: string, command: string, input: unknown): string {
  // Some editors name their commands (`view`, `create`); the path says more.
  const isVerb = command !== '' && !command.trim().includes(' ');
  const detail = isVerb ? `${command} ${detailOf(input)}` : command !== '' ? command : detailOf(input);
  const firstLine = (command !== '' ? detail : `${tool} ${detail}`).trimStart().split('\n', 1)[0] ?? '';
  const cut = firstLine.slice(0, 2 * LABEL_MAX);
  const label = UNTIDY.test(cut) ? cut.replace(UNPRINTABLE, ' ').trim() : cut;
  return label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX - 1)}…` : label;
}

export const callLabel = (tool: string, input: unknown): string => labelOf(tool, commandOf(input), input);

function detailOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  for (const [key, value] of Object.entries(input)) {
    if (
      typeof value === 'string' &&
      (argumentName(key).isPlace || /^(?:url|query|pattern|regex|name)$/i.test(key))
    )
      return value;
  }
  return '';
}
