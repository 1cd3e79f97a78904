import { COMMENTARY } from './commentary.ts';
import { HASH_SEED, mixString } from './hash.ts';

/**
 * What the names of tools and of their arguments say. An agent uses a dozen of each, again and again, so each name is
 * read once and looked up from then on, instead of being matched by a dozen expressions at every step.
 */
const FINISH = /(?:^|_)(?:finish|complete|completion|done|final_?answer)(?:_|$)/i;
const THINKS = /^(?:think|reflect)/i;
const WAIT_NAME =
  /^(?:wait|sleep|poll|await|watch|monitor|pause)|(?:^|[_.-])(?:wait|sleep|poll|status|progress)(?:[_.-]|$)|(?:bash|task|shell|command|process|job|build|agent|read|get)_?output$/i;
const WAIT_CAMEL = /[a-z0-9](?:Wait|Sleep|Poll|Status|Progress)(?![a-z])/;

type ToolName = {
  /** Of the name, to be mixed with what it is called with. */
  readonly hash: number;
  /** Declares the work finished. */
  readonly isFinish: boolean;
  readonly isThink: boolean;
  readonly isWait: boolean;
};

const PLACE =
  /^(?:absolute_?|target_?|relative_?)?(?:file|path|file_?path|file_?name|notebook_path|uri|target)$/i;
const CONTENT =
  /^(?:content|contents|new_?(?:str|string|text|content|source)|old_?(?:str|string|text|content)|replace(?:ment)?|text|file_?text|diff|patch|edits?|changes|changes_\w{1,20}|insert_?text|code_?edit|body|search|replacement_?chunks)$/i;
const THOUGHT = /^(?:thoughts?|reasoning|reflection|plan|note|analysis)$/i;
/** Counted or made up for each call, so they don't distinguish calls. */
const COUNTED = new Set([
  'attempt',
  'callId',
  'call_id',
  'idempotencyKey',
  'idempotency_key',
  'iteration',
  'nonce',
  'retry',
  'retryCount',
  'retry_count',
  'toolCallId',
  'tool_call_id',
]);
/** Mostly an envelope as well, unless the call is about them; then each is another question. */
const SUBJECTS: ReadonlyMap<string, RegExp> = new Map([
  ['requestId', /request/i],
  ['request_id', /request/i],
  ['timestamp', /time/i],
  ['traceId', /trace/i],
  ['trace_id', /trace/i],
]);

/** Where commands stand, the most telling first. */
export const COMMAND_KEYS = ['command', 'cmd', 'script', 'bash_command', 'shell_command', 'code'];

type ArgumentName = {
  readonly hash: number;
  readonly isCommand: boolean;
  readonly isCounted: boolean;
  readonly isCommentary: boolean;
  /** Matches the tools that are about this argument; null if it is no envelope. */
  readonly subject: RegExp | null;
  readonly isPlace: boolean;
  readonly isContent: boolean;
  readonly isThought: boolean;
};

export const toolName: (name: string) => ToolName = remembered((name) => ({
  hash: mixString(HASH_SEED, name),
  isFinish: FINISH.test(name),
  isThink: THINKS.test(name),
  isWait: WAIT_NAME.test(name) || WAIT_CAMEL.test(name),
}));

export const argumentName: (name: string) => ArgumentName = remembered((name) => ({
  hash: mixString(HASH_SEED, name),
  isCommand: COMMAND_KEYS.includes(name),
  isCounted: COUNTED.has(name),
  isCommentary: COMMENTARY.has(name),
  subject: SUBJECTS.get(name) ?? null,
  isPlace: PLACE.test(name),
  isContent: CONTENT.test(name),
  isThought: THOUGHT.test(name),
}));

/** Agents choose the names, so neither their number nor their length may grow. */
const NAMES_MAX = 500;
const NAME_LENGTH_MAX = 100;

function remembered<Read>(read: (name: string) => Read): (name: string) => Read {
  const known = new Map<string, Read>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const now = read(name);
    if (name.length > NAME_LENGTH_MAX) return now;
    if (known.size >= NAMES_MAX) known.clear();
    known.set(name, now);
    return now;
  };
}
