import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { JudgeModel } from '../policy/index.ts';

/** What goes to the model: how to judge, and what to judge as data. */
export type ModelQuestion = { readonly system: string; readonly data: string };

type ModelReply = { readonly text: string; readonly tokens: number };

type Ask = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of its own: hooks that come from there are not those of an agent. */
  readonly folder: string;
  readonly signal: AbortSignal;
};

const REPLY_BYTES_MAX = 64 * 1024;
const REPLY_TOKENS_MAX = 500;
/** A command does not say what it used; a token is about four characters. */
const CHARACTERS_PER_TOKEN = 4;
const PASSED = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

const ANTHROPIC = 'https://api.anthropic.com';
const OPENAI = 'https://api.openai.com/v1';

/** Asks once. Throws with a reason in words that carries no secret. */
export function askModel(model: JudgeModel, question: ModelQuestion, ask: Ask): Promise<ModelReply> {
  if (model.kind === 'command') return askCommand(model.argv, question, ask);
  return model.kind === 'anthropic' ? askAnthropic(model, question, ask) : askOpenAi(model, question, ask);
}

type Service = Exclude<JudgeModel, { kind: 'command' }>;

async function askAnthropic(model: Service, { system, data }: ModelQuestion, ask: Ask): Promise<ModelReply> {
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
  const { input_tokens = 0, output_tokens = 0 } = (reply.usage ?? {}) as Record<string, unknown>;
  return { text, tokens: Number(input_tokens) + Number(output_tokens) };
}

async function askOpenAi(model: Service, { system, data }: ModelQuestion, ask: Ask): Promise<ModelReply> {
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
  const { total_tokens = 0 } = (reply.usage ?? {}) as Record<string, unknown>;
  return { text: String(choice?.message?.content ?? ''), tokens: Number(total_tokens) };
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
function askCommand(argv: readonly string[], { system, data }: ModelQuestion, ask: Ask): Promise<ModelReply> {
  const { env, folder, signal } = ask;
  const [file = '', ...args] = argv;
  const passed = Object.fromEntries(PASSED.map((name) => [name, env[name]]));
  const prompt = `${system}\n\n${data}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: passed,
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    let said = '';
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
      reject(new Error(signal.aborted ? 'it did not answer in time' : 'the answer is too long'));
      child.stdout.destroy();
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.length > REPLY_BYTES_MAX) kill();
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(prompt);
    child.on('error', (error) =>
      reject(new Error(`${file} can't be run (${(error as NodeJS.ErrnoException).code})`)),
    );
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (code !== 0) reject(new Error(`${file} ended with ${code}`));
      else resolve({ text: said, tokens: Math.ceil((prompt.length + said.length) / CHARACTERS_PER_TOKEN) });
    });
  });
}
