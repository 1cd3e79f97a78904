import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { JudgeModel } from '../policy/index.ts';
import { JUDGE_MARKER, killGroup } from '../processes/index.ts';
import { redact } from '../redaction/index.ts';

/** What goes to the model: how to judge, and what to judge as data. */
export type ModelQuestion = { readonly system: string; readonly data: string };

/** In tokens. */
export type ModelUse = { readonly input: number; readonly output: number };

type ModelReply = { readonly text: string; readonly use: ModelUse };

type Ask = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of its own: hooks that come from there are not those of an agent. */
  readonly folder: string;
  /** Variables that a command gets beside the usual ones. */
  readonly passed: readonly string[];
  readonly signal: AbortSignal;
};

const REPLY_BYTES_MAX = 64 * 1024;
const REPLY_TOKENS_MAX = 500;
/** A command does not say what it used; a token is about four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** Of what a command says about its failure. */
const FAILURE_LENGTH_MAX = 200;
const PASSED = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

const ANTHROPIC = 'https://api.anthropic.com';
const OPENAI = 'https://api.openai.com/v1';

/** What a question costs, where nothing says what it did cost. */
export const estimatedUse = ({ system, data }: ModelQuestion): ModelUse => ({
  input: Math.ceil((system.length + data.length) / CHARACTERS_PER_TOKEN),
  output: REPLY_TOKENS_MAX,
});

/** As the service counts it, or as estimated if it does not. */
const usedOr = (question: ModelQuestion, input: unknown, output: unknown): ModelUse =>
  Number(input) > 0 && Number(output) >= 0
    ? { input: Number(input), output: Number(output) }
    : estimatedUse(question);

/** Asks once. Throws with a reason in words that carries no secret. */
export function askModel(model: JudgeModel, question: ModelQuestion, ask: Ask): Promise<ModelReply> {
  if (model.kind === 'command') return askCommand(model.argv, question, ask);
  return model.kind === 'anthropic' ? askAnthropic(model, question, ask) : askOpenAi(model, question, ask);
}

type Service = Exclude<JudgeModel, { kind: 'command' }>;

async function askAnthropic(model: Service, question: ModelQuestion, ask: Ask): Promise<ModelReply> {
  const { system, data } = question;
  const reply = await post(`${model.url ?? ANTHROPIC}/v1/messages`, {
    ask,
    headers: { 'x-api-key': keyOf(model, ask), 'anthropic-version': '2023-06-01' },
    body: {
      model: model.name,
      max_tokens: REPLY_TOKENS_MAX,
      system,
      messages: [{ role: 'user', content: data }],
    },
  });
  const content = Array.isArray(reply.content) ? (reply.content as { type?: unknown; text?: unknown }[]) : [];
  const text = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('');
  const { input_tokens, output_tokens } = (reply.usage ?? {}) as Record<string, unknown>;
  return { text, use: usedOr(question, input_tokens, output_tokens) };
}

async function askOpenAi(model: Service, question: ModelQuestion, ask: Ask): Promise<ModelReply> {
  const { system, data } = question;
  const reply = await post(`${model.url ?? OPENAI}/chat/completions`, {
    ask,
    headers: { authorization: `Bearer ${keyOf(model, ask)}` },
    body: {
      model: model.name,
      max_tokens: REPLY_TOKENS_MAX,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: data },
      ],
    },
  });
  const [choice] = Array.isArray(reply.choices)
    ? (reply.choices as { message?: { content?: unknown } }[])
    : [];
  const { prompt_tokens, completion_tokens } = (reply.usage ?? {}) as Record<string, unknown>;
  const text = String(choice?.message?.content ?? '');
  return { text, use: usedOr(question, prompt_tokens, completion_tokens) };
}

function keyOf({ keyEnv }: Service, { env }: Ask): string {
  const key = keyEnv === null ? '' : env[keyEnv];
  if (key === undefined || key === '') {
    if (keyEnv !== null) throw new Error(`${keyEnv} is not set`);
    return '';
  }
  return key;
}

async function post(
  url: string,
  { ask, headers, body }: { ask: Ask; headers: Record<string, string>; body: object },
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: ask.signal,
  });
  const text = await beginningOf(response);
  if (!response.ok) throw new Error(`the model answered ${response.status}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (!body) return '';
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > REPLY_BYTES_MAX) throw new Error('the answer is too long');
  }
  return Buffer.concat(parts).toString();
}

/** Without a shell. When the time is up, it and all that it started are killed. */
function askCommand(argv: readonly string[], question: ModelQuestion, ask: Ask): Promise<ModelReply> {
  const { env, folder, signal } = ask;
  const [file = '', ...args] = argv;
  const passed = Object.fromEntries([...PASSED, ...ask.passed].map((name) => [name, env[name]]));
  const prompt = `${question.system}\n\n${question.data}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      // What it starts can be told from everything else: it reads what agents write, and gets no tools of Holter.
      env: { ...passed, [JUDGE_MARKER]: '1' },
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    let complained = '';
    const kill = (): void => {
      killGroup(child);
      reject(new Error(signal.aborted ? 'it did not answer in time' : 'the answer is too long'));
      child.stdout.destroy();
      child.stderr.destroy();
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.length > REPLY_BYTES_MAX) kill();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complained = `${complained}${chunk.toString()}`.slice(-REPLY_BYTES_MAX);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(prompt);
    child.on('error', (error) =>
      reject(new Error(`${file} can't be run (${(error as NodeJS.ErrnoException).code})`)),
    );
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill);
      const { input } = estimatedUse(question);
      if (code !== 0) reject(new Error(`${file} ended with ${code}${lastLineOf(complained)}`));
      else resolve({ text: said, use: { input, output: Math.ceil(said.length / CHARACTERS_PER_TOKEN) } });
    });
  });
}

/** What a command said last about its failure, without secrets. */
function lastLineOf(complained: string): string {
  const line = redact(complained).trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, FAILURE_LENGTH_MAX)}`;
}
