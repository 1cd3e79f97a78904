import { cpSync, mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import type { Io } from '../terminal/io.ts';

const recorded = new URL('../../../../tests/fixtures/judge/', import.meta.url).pathname;
const expected = JSON.parse(readFileSync(join(recorded, 'expected.json'), 'utf8')) as Record<
  string,
  { minutesAgo: Record<string, number>; session: string; ticket: { severity: string } | null }
>;

/** The files have the age that the record says, with room for a slow machine. */
function copyOf(name: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'holter-check-')), name);
  cpSync(join(recorded, name), folder, { recursive: true });
  for (const session of readdirSync(join(folder, 'sessions'))) {
    const place = join(folder, 'sessions', session);
    const at = Date.now() / 1_000 - (expected[name]?.minutesAgo[session] ?? 0) * 60;
    for (const path of readdirSync(place, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(place, path), at, at);
  }
  return folder;
}

async function check(...words: string[]): Promise<{ said: string; code: number }> {
  let said = '';
  let code = 0;
  const io: Io = {
    out: (text) => {
      said += text;
    },
    err: () => undefined,
    env: { XDG_CONFIG_HOME: '/nowhere' },
    workingDirectory: '/',
    isTerminal: false,
    hasColour: false,
    isLogTerminal: false,
    width: 100,
    setExitCode: (given) => {
      code = given;
    },
    onStop: () => () => undefined,
    onHangup: () => undefined,
  };
  await (await createProgram(io, 'judge')).parseAsync(['judge', 'check', ...words], { from: 'user' });
  return { said, code };
}

describe('holter judge check --storage', () => {
  it.each(Object.entries(expected))('%s', async (name, { session, ticket }) => {
    const { said, code } = await check('--storage', copyOf(name), '--json');
    expect(JSON.parse(said)).toMatchObject({
      summary: { session_id: session, worker_agent_id: name },
      ticket: ticket && { severity: ticket.severity, worker_session_id: session },
    });
    expect(code).toBe(ticket ? 3 : 0);
  });

  it('checks a session that is named, and says the ticket in words', async () => {
    const storage = copyOf('two-sessions');
    const { said } = await check('--storage', storage, '--session', 'session_20260223_160000_done0001');
    expect(said).toContain('The session is completed; only a session at work is judged.');
    expect((await check('--storage', storage)).said).toContain('high ticket about two-sessions');
  });

  it('shows the steps that led there', async () => {
    const { said } = await check('--storage', copyOf('loop'));
    expect(said).toContain('last steps:\n');
    expect(said.match(/^ {2}RETRY {6}run_command {2}Let me run the tests again\.$/gm)).toHaveLength(8);
  });

  it('leaves the folder above alone', async () => {
    await expect(check('--storage', copyOf('healthy'), '--session', '..')).rejects.toThrow(/no session/);
  });
});
