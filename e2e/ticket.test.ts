import { afterAll, beforeAll, expect, it } from 'vitest';
import { ticketOf } from '../packages/core/test/ticket.ts';
import { createProgram } from '../packages/holter/src/program.ts';
import type { Io } from '../packages/holter/src/terminal/io.ts';
import { compile } from '../packages/server/src/policy/index.ts';
import { startHttp, stillClock, type TestServer } from '../packages/server/test/http/kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

/** What the command prints, against a server in this process. */
async function holter(...words: string[]): Promise<string> {
  let said = '';
  const io: Io = {
    out: (text) => {
      said += text;
    },
    err: () => undefined,
    env: { HOLTER_URL: server.url, HOLTER_TOKEN: server.tokens.operator, USER: 'alice' },
    workingDirectory: '/',
    isTerminal: false,
    hasColour: false,
    isLogTerminal: false,
    width: 120,
    setExitCode: () => undefined,
    onStop: () => () => undefined,
    onHangup: () => undefined,
  };
  await (await createProgram(io, words[0])).parseAsync(words, { from: 'user' });
  return said;
}

async function written(agentId: string, fields: object = {}): Promise<string> {
  await server.operator.register({ agentId, instanceId: 'i' });
  const { ticket_id } = await server.operator.emitTicket({
    ...ticketOf({ worker_agent_id: agentId, ...fields }),
  });
  return ticket_id;
}

it('lists and shows tickets, and takes answers that the statistics count by day', async () => {
  expect(await holter('ticket', 'list')).toBe('No tickets.\n');
  expect(await holter('judge', 'stats')).toContain('No ticket has an answer yet.');

  const [good, bad] = [await written('ada'), await written('bob')];
  await written('cy', { severity: 'low', steps_since_last_accept: 3 });
  const open = await holter('ticket', 'list');
  expect(open.split('\n').filter((line) => /ada|bob|cy/.test(line))).toHaveLength(2);
  expect(await holter('ticket', 'list', '--status', 'dismissed')).toMatch(/cy +low +dismissed/);
  expect(await holter('ticket', 'list', '--agent', 'ada')).not.toContain('bob');

  const shown = await holter('ticket', 'show', good);
  expect(shown).toMatch(new RegExp(`^${good} {2}(just now|[0-9]+ s ago) {2}asking: The ticket is high`));
  expect(shown).toContain('incident ada/1');
  expect(shown).toContain('high ticket about ada');
  expect(shown).toContain('no answer yet');

  expect(await holter('ticket', 'useful', good)).toContain('useful, says operator');
  const wrong = await holter('ticket', 'wrong', bad, '--reason', 'it was rewriting the plan');
  expect(wrong).toContain('dismissed: false alarm, says operator');
  expect(JSON.parse(await holter('ticket', 'show', bad, '--json'))).toMatchObject({
    answer: { answer: 'false_alarm', by: 'operator', reason: 'it was rewriting the plan' },
  });

  const today = new Date(server.clock.now()).toISOString().slice(0, 10);
  server.clock.skip(24 * 3_600_000);
  await holter('ticket', 'wrong', await written('dan'));
  const days = (await holter('judge', 'stats')).split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(days).toContainEqual([today, '3', '2', '1', '1', '50 %']);
  expect(days).toContainEqual(['all', '4', '3', '1', '2', '33 %']);
});

it('says what is wrong with an unknown ticket', async () => {
  await expect(holter('ticket', 'show', 'nothing')).rejects.toThrow(/no ticket with this id/);
});

it('says in status why the model of the judge is not asked', async () => {
  const model = { provider: 'anthropic', name: 'small', key_env: 'NO_SUCH_KEY' } as const;
  const compiled = compile({ judge: { model } });
  if (compiled.kind !== 'compiled') throw new Error('not compiled');
  const before = server;
  server = await startHttp({ policies: compiled.policies });
  try {
    expect(await holter('status')).not.toContain('The judge');
    const undecided = { severity: 'medium', steps_since_last_accept: 3, stall_minutes: null };
    const id = await written('eve', undecided);
    await expect.poll(() => holter('ticket', 'show', id)).toContain('dismissed');
    expect(await holter('status')).toContain(
      "The judge: the model of the judge can't be used: NO_SUCH_KEY is not set; rules decide instead",
    );
  } finally {
    await server.stop();
    server = before;
  }
});
