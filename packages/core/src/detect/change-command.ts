import { type SimpleCommand, simpleCommands } from './shell-words.ts';

/**
 * Whether a command starts, stops or changes something outside the workspace, as opposed to a look at it.
 *
 * Intuition: an agent that waits for a deployment writes `deploy`, `run` and `up` all the time: `gh run view 17`,
 * `kubectl get deploy`, `cat run.log`, `curl host/up`. Such a word means a change only where it is the program
 * (`./deploy.sh`) or its subcommand (`docker compose up`), and not beside a word that says that it looks (`status`,
 * `list`, `get`). Programs that only read are looks whatever they are given.
 *
 * It decides whether a short sleep before the command is a wait, so the doubtful case is a look: a wait is judged by
 * its duration, and a loop of waits is still found, only later.
 *
 * Blind spots: a change by a program with an innocent name; a command inside double quotes that the shell would run.
 */
const MAY_CHANGE =
  /\b(?:p?kill(?:all)?|(?:re)?start|(?:re)?boot|stop|reload|launch|serve|up|down|deploy|apply|rerun|retry|nohup|setsid|run|create|delete|push|submit)\b|POST|PUT|PATCH|DELETE|&/i;

const CHANGE =
  /^(?:p?kill(?:all)?|(?:re)?start|(?:re)?boot|stop|reload|launch|serve|up|down|deploy|apply|rerun|retry|nohup|setsid|run|create|delete|push|submit)$/i;
const LOOK =
  /^(?:get|view|list|ls|status|state|describe|show|logs?|ps|inspect|info|watch|checks?|diff|history|top|stats|tail|head|cat|health|is|wait|events|read|query|probe|ping|exists|version|whoami|report)$/i;

const READERS = new Set(
  'awk case cat cd column cut date df diff dig dmesg du echo env file find for free grep egrep fgrep head hexdump host hostname id jobs journalctl jq less ls lsof md5sum more nc netstat nslookup pgrep ping printf ps pwd rg sed sha256sum sleep sort ss stat strings tac tail test top tr tree true uname uniq uptime wc which who whoami xxd yq zcat zgrep [ [['.split(
    ' ',
  ),
);
const HTTP_CLIENTS = new Set(['curl', 'http', 'https', 'httpie', 'wget', 'xh']);
const METHOD = /^(?:-X|--(?:request|method)=)?(?:POST|PUT|PATCH|DELETE)$/;
/** They run the command that follows. */
const WRAPPERS = new Set(
  'sudo doas command exec nice ionice stdbuf time timeout xargs npx bunx do then else if while until ! {'.split(
    ' ',
  ),
);
/** So do these, after `run` or `exec`. */
const RUNNERS = new Set(['bundle', 'conda', 'hatch', 'pdm', 'pipenv', 'poetry', 'rye', 'uv']);
const INTERPRETERS = new Set(
  'sh bash zsh dash ksh ssh su eval python python3 node ruby perl php deno bun tsx ts-node'.split(' '),
);
const SHELLS = new Set('sh bash zsh dash ksh ssh su eval'.split(' '));
/** Programs in a text, which are not made of words: `-c "…"`. */
const CODE_CHANGES =
  /\b(?:subprocess|os\.system|exec\w{0,20}|spawn\w{0,20})\b|\.(?:post|put|patch|delete|kill|restart|start|stop|run|submit|deploy|create|push)\(/i;
const ASSIGNMENT = /^\w+=/;
/** An option of a wrapper, or its time limit. */
const OPTION = /^-|^\d+(?:\.\d+)?[smhd]?$/;
/** Where subcommands stand: `kubectl rollout restart`, `gcloud run services describe`. */
const SUBCOMMAND_WORDS = 4;
const DEPTH_MAX = 3;

export const changesSomething = (command: string): boolean =>
  MAY_CHANGE.test(command) && anyChanges(command, 0);

const anyChanges = (command: string, depth: number): boolean =>
  simpleCommands(command).some((simple) => changes(simple, depth));

function changes({ words: all, isBackground }: SimpleCommand, depth: number): boolean {
  if (isBackground) return true;
  let words = unwrapped(all);
  let program = nameOf(words[0]);
  if (INTERPRETERS.has(program)) {
    const code = words.find((word) => word.includes(' '));
    if (code !== undefined && depth < DEPTH_MAX)
      return SHELLS.has(program) ? anyChanges(code, depth + 1) : CODE_CHANGES.test(code);
    // The script is the program.
    words = words.slice(1).filter((word) => !word.startsWith('-'));
    program = nameOf(words[0]);
  }
  if (program === 'kill' && words.includes('-0')) return false;
  if (READERS.has(program)) return words.includes('-delete');
  if (words.some((word) => METHOD.test(word))) return true;
  return !HTTP_CLIENTS.has(program) && saysChange(program, words.slice(1));
}

function unwrapped(words: readonly string[]): readonly string[] {
  let start = 0;
  let isWrapped = false;
  for (; start < words.length; start += 1) {
    const word = words[start] ?? '';
    if (RUNNERS.has(word) && /^(?:run|exec)$/.test(words[start + 1] ?? '')) start += 1;
    else if (!WRAPPERS.has(word) && !ASSIGNMENT.test(word) && !(isWrapped && OPTION.test(word))) break;
    isWrapped = true;
  }
  return words.slice(start);
}

/** `./scripts/deploy.sh` is called deploy. */
const nameOf = (word = ''): string => word.slice(word.lastIndexOf('/') + 1).replace(/\.\w{1,4}$/, '');

function saysChange(program: string, words: readonly string[]): boolean {
  const names = words.filter((word) => !/^-|[/.=@$]/.test(word)).slice(0, SUBCOMMAND_WORDS);
  // Further on stand names of things, which may be made of any words.
  const parts = [program, ...names.slice(0, 2)].flatMap((word) => word.split(/[-_:]/));
  const said = [...parts, ...names.slice(2)];
  return !said.some((word) => LOOK.test(word)) && said.some((word) => CHANGE.test(word));
}
