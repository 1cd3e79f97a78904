import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { damaged, mutated } from '../packages/server/test/hostile-json.ts';
import { type HolterProcess, root, startHolter } from './holter-process.ts';

// What agents send and write, changed at random, while the server's own figure of late ticks is read.

const fixture = (name: string): string =>
  readFileSync(join(root, 'packages/server/src/adapters/claude-code/fixtures', name), 'utf8');
const transcript = fixture('transcript.jsonl');
const config = readFileSync(join(root, 'examples', 'tour.yaml'), 'utf8');
const hooks = fixture('hooks.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Record<string, unknown>);
const toolHook = hooks.find(({ hook_event_name }) => hook_event_name === 'PreToolUse');
const sessionId = 'c64a3fea-d51f-4305-9248-db9d38df8039';
const content = { step: 3, files: ['a.ts', { path: 'b.ts', lines: [1, 2] }], note: 'half done', left: null };
const list = <T>(length: number, item: T): T[] => new Array<T>(length).fill(item);
const large = [list(190_000, 1), list(2_000_000, {}), 'x'.repeat(3_900_000), 'eyJ-'.repeat(900_000)];

const ROUNDS = 40;
const EVERY_MS = 20;
/** Beyond what ordinary bodies cause on this machine at this time. */
const LATE_MS_MAX = 250;
const TIMES_MAX = 4;

let folder = '';
let holter: HolterProcess;
let token = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holter-late-'));
  for (const name of ['projects/-shop', 'sessions'])
    mkdirSync(join(folder, '.claude', name), { recursive: true });
  writeFileSync(path('config'), config);
  holter = await startHolter(folder, ['--port', '0', '--log-level', 'silent', '--config', path('config')]);
  const register = { agentId: 'ada', instanceId: 'i' };
  const response = await post('/v1/agents', holter.token('enroll'), JSON.stringify(register));
  token = ((await response.json()) as { token: string }).token;
});
afterAll(async () => {
  await holter?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const path = (what: 'config' | 'transcript' | 'session'): string =>
  ({
    config: join(folder, 'holter.yaml'),
    transcript: join(folder, '.claude', 'projects', '-shop', `${sessionId}.jsonl`),
    session: join(folder, '.claude', 'sessions', `${process.pid}.json`),
  })[what];

const post = (where: string, bearer: string, body: string): Promise<Response> =>
  fetch(`${holter.url}${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body,
  });

/** What an agent sends and writes in one moment. */
type Round = {
  readonly hook: unknown;
  readonly signal: unknown;
  readonly checkpoint: unknown;
  readonly transcript: Buffer;
  readonly session: Buffer;
  readonly config: Buffer;
};

async function send(round: Round, index: number): Promise<void> {
  appendFileSync(path('transcript'), round.transcript);
  writeFileSync(path('session'), round.session);
  if (index % 10 === 0) {
    writeFileSync(path('config'), round.config);
    process.kill(holter.pid, 'SIGHUP');
  }
  for (const [where, bearer, body] of [
    ['/hooks/claude-code', holter.token('enroll'), round.hook],
    ['/v1/agents/ada/signals', token, round.signal],
    ['/v1/agents/ada/checkpoints', token, round.checkpoint],
  ] as const) {
    const status = post(where, bearer, JSON.stringify(body)).then((reply) => reply.status, refusal);
    expect(await status).toBeLessThan(500);
  }
}

/** A body that is too large is refused, and the connection closed, before all of it is sent. */
function refusal(error: Error): number {
  if (/EPIPE|ECONNRESET/.test(String(error.cause))) return 413;
  throw error;
}

/** CPU time of the server so far. Linux counts it in hundredths of a second. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${holter.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * By how much the latest tick and the latest answer were late because of the server's own work: a machine that is busy
 * with other programs delays them too, but the server does not use the CPU meanwhile.
 */
async function worstWhile(work: Promise<void>): Promise<{ tickMs: number; answerMs: number }> {
  const looks = [{ at: performance.now(), cpu: cpuMs(), lag: 0 }];
  const spentSince = (at: number): number =>
    cpuMs() - (looks.filter((look) => look.at <= at).at(-1) ?? looks[0] ?? { cpu: 0 }).cpu;
  const worst = { tickMs: 0, answerMs: 0 };
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  // Ticks come every second, so that one more is waited for.
  for (let until = Number.POSITIVE_INFINITY; performance.now() < until; await pause(EVERY_MS)) {
    const asked = performance.now();
    const { tickLagMs: lag } = (await (await fetch(`${holter.url}/health`)).json()) as { tickLagMs: number };
    const now = performance.now();
    worst.answerMs = Math.max(worst.answerMs, Math.min(now - asked, spentSince(asked)));
    const before = looks.at(-1);
    // Another figure: there was a tick after the look before.
    if (before && before.lag !== lag)
      worst.tickMs = Math.max(worst.tickMs, Math.min(lag, spentSince(before.at - lag)));
    looks.push({ at: now, cpu: cpuMs(), lag });
    if (isOver && until === Number.POSITIVE_INFINITY) until = now + 1_500;
  }
  await over;
  return worst;
}

async function sendAll(rounds: readonly Round[]): Promise<void> {
  for (const [index, round] of rounds.entries()) await send(round, index);
}

const named = { session_id: sessionId, transcript_path: '', cwd: '/shop' };
const state = { pid: process.pid, procStart: '7', sessionId, status: 'busy' };

it('no tick is late, whatever agents send and write', async () => {
  const own = { ...named, transcript_path: path('transcript') };
  const lines = transcript.trimEnd().split('\n');
  const ordinary = Array.from({ length: ROUNDS }, (_, n) => ({
    hook: { ...hooks[n % hooks.length], ...own },
    signal: { kind: 'blocker', text: 'waits for a review' },
    checkpoint: { checkpointId: `c${n}`, content: n % 8 === 0 ? 'word '.repeat(780_000) : content },
    transcript: Buffer.from(`${lines[n % lines.length]}\n`),
    session: Buffer.from(JSON.stringify(state)),
    config: Buffer.from(config),
  }));
  const hostile: fc.Arbitrary<Round> = fc.record({
    hook: fc.oneof(
      fc.constantFrom(...hooks).chain((hook) => mutated({ ...hook, ...own })),
      fc.constantFrom(...large).map((input) => ({ ...toolHook, ...own, tool_input: { input } })),
    ),
    signal: mutated({ kind: 'blocker', text: 'waits for a review' }),
    checkpoint: fc.oneof(mutated({ checkpointId: 'x', content }), fc.constantFrom(...large)),
    transcript: damaged(transcript),
    session: damaged(JSON.stringify(state)),
    config: damaged(config),
  });
  const usual = await worstWhile(sendAll(ordinary));
  const blocker = { kind: 'blocker', text: 'eyJ-'.repeat(16_000) };
  const crafted = ordinary.slice(0, 15).map((round) => ({ ...round, signal: blocker }));
  const random = fc.sample(hostile, { numRuns: ROUNDS, seed: 1 });
  const worst = await worstWhile(sendAll([...random, ...crafted]));
  expect(worst.tickMs).toBeLessThan(LATE_MS_MAX + TIMES_MAX * usual.tickMs);
  expect(worst.answerMs).toBeLessThan(LATE_MS_MAX + TIMES_MAX * usual.answerMs);
  expect(((await (await fetch(`${holter.url}/health`)).json()) as { status: string }).status).toBe('ok');
});
