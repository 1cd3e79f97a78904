import { spawn } from 'node:child_process';
import type { DeaconLook, Triage } from '@holter/core/chain';
import { killGroup } from '@holter/server/process';

const ANSWER_BYTES_MAX = 10_000;

/** What was seen, what the rules have decided, and what its pane shows. */
export type Question = {
  readonly look: DeaconLook;
  readonly decided: Triage;
  readonly pane: string | null;
};

/**
 * Asks the operator's command, which may be a model. It may only choose the milder act: whether the Deacon is woken,
 * nudged or left alone. It can't start or kill, and its words reach nobody. Null when it does not answer, or wants more
 * than the rules.
 */
export async function askCommand(
  [program = '', ...args]: readonly string[],
  question: Question,
  options: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number; readonly folder: string },
): Promise<Triage | null> {
  const answer = await new Promise<string>((resolve) => {
    const child = spawn(program, args, {
      env: options.env,
      cwd: options.folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      // With all that it has started, which would keep its output open.
      detached: true,
    });
    const timer = setTimeout(() => killGroup(child), options.timeoutMs);
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, ANSWER_BYTES_MAX);
    });
    child.stdin.on('error', () => undefined);
    child.on('error', () => resolve(''));
    child.on('close', (code) => resolve(code === null ? '' : text));
    child.on('close', () => clearTimeout(timer));
    child.stdin.end(`${JSON.stringify(question)}\n`);
  });
  const { decided } = question;
  const word = /\b(WAKE|NUDGE|NOTHING)\b/.exec(answer)?.[1];
  const action = MILDEST_FIRST.find((each) => each === word);
  if (!action || rankOf(action) > rankOf(decided.action)) return null;
  return { action, reason: `${decided.reason}; ${program} says ${action}` };
}

const MILDEST_FIRST: readonly Triage['action'][] = ['NOTHING', 'NUDGE', 'WAKE'];
const rankOf = (action: Triage['action']): number => MILDEST_FIRST.indexOf(action);
