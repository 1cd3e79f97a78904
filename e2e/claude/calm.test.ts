import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash, type ModelMove, type Script } from './scripted-model.ts';
import { World } from './world.ts';

/** Events that must not occur for a working agent: a nudge, an `act` finding, a termination. */
const DISTURBING = [
  'NUDGE_SENT',
  'ESCALATION_TRIGGERED',
  'INCIDENT_OPENED',
  'ATTENTION_RAISED',
  'AGENT_TERMINATED',
];

describe.concurrent('who works is left alone', { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  }, 200_000);
  afterAll(() => world?.stop());

  /** Runs a separate session and returns the events that Holter recorded for it. */
  async function watched(script: Script, more: Record<string, string> = {}) {
    const sessionId = randomUUID();
    const model = await world.model(script);
    const ran = await world.claude(model, ['--session-id', sessionId], more);
    const events = await world.events(`claude.shop.${sessionId.slice(0, 8)}`);
    expect(events.map(({ type }) => type)).toContain('AGENT_REGISTERED');
    expect(events.filter(({ type }) => DISTURBING.includes(type))).toEqual([]);
    expect(model.requests.at(-1)?.text).not.toContain('Holter:');
    return { ran, events };
  }

  /** Nor may a warning be raised about what the session does; a slow machine may well be silent for a while. */
  async function undisturbed(moves: readonly ModelMove[]): Promise<void> {
    const { ran, events } = await watched((_request, turn) => moves[turn - 1] ?? { say: 'Finished.' });
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    const found = events.filter(
      ({ type, payload }) => type === 'FINDING_RAISED' && payload.kind !== 'silent',
    );
    expect(found).toEqual([]);
  }

  it('thirty different calls', async () => {
    await undisturbed(
      Array.from({ length: 30 }, (_, n) => bash(`echo part ${n} > part-${n}.txt; ls | wc -l`)),
    );
  });

  it('edit, test, edit: a loop that gets better', async () => {
    writeFileSync(join(world.project, 'failures'), '9');
    const test = bash('n=$(cat failures); echo "$n tests failed"; exit $n');
    const edit = (n: number) => bash(`echo ${n} > failures`);
    const rounds = Array.from({ length: 9 }, (_, n) => [test, edit(8 - n)]);
    await undisturbed([...rounds.flat(), test]);
  });

  it('test first: red and green in turn, as TAP tells it', async () => {
    writeFileSync(join(world.project, 'square.mjs'), 'export const square = () => 0;\n');
    const head = "import test from 'node:test'; import assert from 'node:assert';";
    const add = (n: number) =>
      bash(`echo "test('${n}', () => assert.equal(square(${n}), ${n * n}));" >> square.test.mjs`);
    const solve = (n: number) =>
      bash(`echo 'export const square = (n) => n <= ${n} ? n * n : 0;' > square.mjs`);
    const test = bash('node --test --test-reporter=tap square.test.mjs');
    const begin = bash(`echo "${head} import { square } from './square.mjs';" > square.test.mjs`);
    const rounds = [1, 2, 3].flatMap((n) => [add(n), test, solve(n), test]);
    await undisturbed([begin, ...rounds]);
  });

  it('a tool that runs for long', async () => {
    await undisturbed([bash('sleep 8; echo built'), bash('echo then')]);
  });

  it('a rate limit: neither nudged nor ended, and it goes on', async () => {
    let limited = 0;
    const { ran } = await watched((_request, turn) => {
      if (turn === 2 || turn === 3) {
        limited += 1;
        return { status: 429, error: 'rate_limit_error', retryAfterSeconds: 2 };
      }
      return turn < 6 ? bash(`echo ${turn}`) : { say: 'Finished.' };
    });
    expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringContaining('Finished.') });
    expect(limited).toBe(2);
  });

  it('a rate limit that does not pass: the turn ends on hold', async () => {
    const limit = { status: 429, error: 'rate_limit_error' };
    const { events } = await watched(() => limit, { CLAUDE_CODE_MAX_RETRIES: '1' });
    const payload = expect.objectContaining({ hold: 'rate-limited' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'HOLD_BEGAN', payload }));
  });
});
