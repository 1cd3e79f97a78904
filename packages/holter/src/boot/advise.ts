import { spawn } from 'node:child_process';
import type { DeaconLook, Triage } from '@holter/core/chain';

const ANSWER_BYTES_MAX = 10_000;

/** What was seen, what the rules have decided, and what its pane shows. */
export type Question = {
  readonly look: DeaconLook;
  readonly decided: Triage;
  readonly pane: string | null;
};

/**
 * Asks the operator's command, which may be a model. It may only choose the milder act: whether the Deacon is woken,
 * nudged or left alone. It can't start or kill, and its words reach nobody. Null when it does not answer.
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
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    });
    let text = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, ANSWER_BYTES_MAX);
    });
    child.stdin.on('error', () => undefined);
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(text));
    child.stdin.end(`${JSON.stringify(question)}\n`);
  });
  const action = /\b(WAKE|NUDGE|NOTHING)\b/.exec(answer)?.[1] as 'WAKE' | 'NUDGE' | 'NOTHING' | undefined;
  return action ? { action, reason: `${question.decided.reason}; ${program} says ${action}` } : null;
}
