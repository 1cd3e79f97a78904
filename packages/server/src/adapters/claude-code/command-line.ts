/** One option of Claude Code with what belongs to it. */
type Group = { readonly name: string; readonly words: readonly string[] };

/** The command line of Claude Code, as far as a run has to change it. */
export type ClaudeArgs = {
  readonly groups: readonly Group[];
  readonly prompt: string | null;
};

/** Options that take one value, many, or perhaps one. Unknown ones are taken to need none. */
const ONE = new Set(
  `--agent --agents --append-system-prompt --append-system-prompt-file --debug-file --effort --fallback-model
  --input-format --json-schema --max-budget-usd --max-turns --model -n --name --output-format --permission-mode
  --permission-prompt-tool --plugin-dir --plugin-url --remote-control-session-name-prefix --session-id
  --setting-sources --settings --system-prompt --system-prompt-file`.split(/\s+/),
);
const MANY = new Set(
  `--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools --file --mcp-config
  --tools`.split(/\s+/),
);
const PERHAPS_ONE = new Set(
  '-d --debug --from-pr -r --resume -w --worktree --prompt-suggestions --remote-control'.split(' '),
);
/** These name a conversation; a successor names its own. */
const SESSION = new Set([
  '--session-id',
  '-r',
  '--resume',
  '-c',
  '--continue',
  '--fork-session',
  '--from-pr',
]);
/** Not a session at all, or one without hooks. */
const NO_SESSION = new Set(['-h', '--help', '-v', '--version', '--bare', '--bg', '--background']);
const VERBS = new Set(
  'agents auth auto-mode config doctor gateway install mcp plugin plugins project setup-token ultrareview update upgrade'.split(
    ' ',
  ),
);

export function readClaudeArgs(args: readonly string[]): ClaudeArgs {
  const groups: Group[] = [];
  let prompt: string | null = null;
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? '';
    if (word === '--') {
      prompt ??= args[at + 1] ?? null;
      break;
    }
    if (!isOption(word)) {
      prompt ??= word;
      at += 1;
      continue;
    }
    const [name = word] = word.split('=', 1);
    const count = 1 + (word.includes('=') ? 0 : valuesAfter(name, args.slice(at + 1)));
    groups.push({ name, words: args.slice(at, at + count) });
    at += count;
  }
  return { groups, prompt };
}

function valuesAfter(name: string, rest: readonly string[]): number {
  if (ONE.has(name)) return Math.min(1, rest.length);
  const end = rest.findIndex(isOption);
  const free = end < 0 ? rest.length : end;
  if (MANY.has(name)) return free;
  return PERHAPS_ONE.has(name) ? Math.min(1, free) : 0;
}

const isOption = (word: string): boolean => word.startsWith('-') && word.length > 1;

export const hasOption = ({ groups }: ClaudeArgs, ...names: readonly string[]): boolean =>
  groups.some(({ name }) => names.includes(name));

export function optionValue({ groups }: ClaudeArgs, ...names: readonly string[]): string | null {
  const group = groups.find(({ name }) => names.includes(name));
  const [first = '', second] = group?.words ?? [];
  return second ?? (first.includes('=') ? first.slice(first.indexOf('=') + 1) : null);
}

/** A conversation that its hooks can tell about; not `claude mcp list`, not `--bare`. */
export const isSession = (args: ClaudeArgs): boolean =>
  !hasOption(args, ...NO_SESSION) && !VERBS.has(args.prompt ?? '');

export const namesSession = (args: ClaudeArgs): boolean => hasOption(args, ...SESSION);

/** All options but those that a successor is given anew, each with its values. */
export const keptWords = ({ groups }: ClaudeArgs): readonly string[] =>
  groups.filter(({ name }) => !SESSION.has(name) && name !== '--settings').flatMap(({ words }) => words);
