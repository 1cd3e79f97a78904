import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Recipe } from '../shared/recipe.ts';
import { readClaudeArgs } from './command-line.ts';
import { recipe as recipeOf } from './recipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-recipe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ID = '11111111-2222-4333-8444-555555555555';
let ids = 0;

function recipe(...args: readonly string[]): Recipe | null {
  return recipeOf({
    program: '/usr/bin/claude',
    args,
    env: { HOME: folder },
    workingDirectory: folder,
    newId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    now: () => 1_000,
  });
}

const sure = (...args: readonly string[]): Required<Recipe> => recipe(...args) as Required<Recipe>;
const after = (argv: readonly string[], option: string): string => argv[argv.indexOf(option) + 1] ?? '';

/** A transcript with these last lines. */
function transcript(sessionId: string, ...lines: readonly object[]): string {
  const project = join(folder, '.claude', 'projects', '-shop');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${sessionId}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

describe('the command line of Claude Code', () => {
  it.each<[args: string[], prompt: string | null]>([
    [['-p', 'do it'], 'do it'],
    [['-p', 'do it', '--allowedTools', 'Bash', 'Edit'], 'do it'],
    [['--allowedTools', 'Bash', 'Edit', '-p', 'do it'], 'do it'],
    [['--model', 'opus', 'do it'], 'do it'],
    [['--model=opus', 'do it', '--verbose'], 'do it'],
    [['-p', '--', '-5 is a number'], '-5 is a number'],
    [['--resume', ID, 'go on'], 'go on'],
    [['--continue'], null],
  ])('%j asks for %j', (args, prompt) => {
    expect(readClaudeArgs(args).prompt).toBe(prompt);
  });

  it.each([[['mcp', 'list']], [['--version']], [['--bare', '-p', 'x']], [['update']]])(
    '%j is no conversation that hooks could tell of',
    (args) => {
      expect(recipe(...args)).toBeNull();
    },
  );
});

describe('a start', () => {
  it('gets hooks by --settings, a name for its conversation, and all that the user said', () => {
    const argv = sure('-p', 'do it', '--allowedTools', 'Bash').start('http://127.0.0.1:4658');
    expect(argv.slice(-4)).toEqual(['-p', 'do it', '--allowedTools', 'Bash']);
    expect(after(argv, '--session-id')).toMatch(/^0{8}-/);
    const settings = JSON.parse(after(argv, '--settings'));
    expect(settings.hooks.PostToolBatch[0].hooks[0]).toMatchObject({
      type: 'http',
      url: 'http://127.0.0.1:4658/hooks/claude-code',
      headers: { Authorization: 'Bearer $HOLTER_TOKEN' },
      allowedEnvVars: ['HOLTER_TOKEN'],
    });
  });

  it("merges the user's own settings, from JSON or a file, and refuses what is neither", () => {
    const own = { model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] } };
    writeFileSync(join(folder, 'own.json'), JSON.stringify(own));
    for (const given of [JSON.stringify(own), 'own.json']) {
      const argv = sure('-p', 'x', '--settings', given, '--verbose').start('http://h');
      expect(argv.filter((word) => word === '--settings')).toHaveLength(1);
      expect(argv.slice(-3)).toEqual(['-p', 'x', '--verbose']);
      const settings = JSON.parse(after(argv, '--settings'));
      expect(settings.model).toBe('opus');
      expect(settings.hooks.Stop).toHaveLength(2);
      expect(settings.hooks.Stop[0]).toEqual(own.hooks.Stop[0]);
    }
    expect(() => sure('-p', 'x', '--settings', 'none.json').start('http://h')).toThrow(
      /--settings none\.json/,
    );
  });

  it('leaves a conversation that the user named alone', () => {
    const argv = sure('--resume', ID, '-p', 'go on').start('http://h');
    expect(argv).not.toContain('--session-id');
    expect(after(argv, '--resume')).toBe(ID);
  });
});

describe('a successor', () => {
  const facts = { attempt: 1, cause: 'repeated-call', orderReason: null };

  it('takes the conversation up, with the same options and a note of facts', async () => {
    const again = sure('-p', 'do it', '--session-id', ID, '--allowedTools', 'Bash', '--model', 'opus');
    transcript(ID, { type: 'user' });
    const argv = await again.startAgain('http://h', facts);
    expect(argv.slice(0, 3)).toEqual(['/usr/bin/claude', '--resume', ID]);
    expect(argv[3]).toMatch(/^Holter: this work was interrupted \(the same call .*start 2/);
    expect(argv.slice(-5)).toEqual(['-p', '--allowedTools', 'Bash', '--model', 'opus']);
    expect(argv).not.toContain('do it');
  });

  it("is told why an operator ordered it, in the operator's words", async () => {
    const again = sure('-p', 'do it', '--session-id', ID.replace('1', '4'));
    const ordered = { ...facts, orderReason: 'the "wrong" branch,\nuse release/2' };
    const argv = await again.startAgain('http://h', ordered);
    expect(argv[1]).toContain(`in its operator's words: "the 'wrong' branch, use release/2")`);
  });

  it('begins anew with the task and the note when there is nothing to resume, or resuming led nowhere', async () => {
    const never = sure('-p', 'do it', '--session-id', ID.replace('1', '2'));
    const fresh = await never.startAgain('http://h', facts);
    expect(fresh[1]).toMatch(/^do it\n\nHolter:/);
    expect(after(fresh, '--session-id')).not.toBe(ID.replace('1', '2'));

    const session = ID.replace('1', '3');
    const stuck = sure('-p', 'do it', '--session-id', session);
    const file = transcript(session, { type: 'user' });
    expect(await stuck.startAgain('http://h', facts)).toContain('--resume');
    expect(await stuck.startAgain('http://h', { ...facts, attempt: 2 })).not.toContain('--resume');
    appendFileSync(file, '{}\n');
  });

  it('is not promised where nothing is kept', () => {
    expect(sure('-p', 'x').canResume).toBe(true);
    expect(sure('-p', 'x', '--no-session-persistence').canResume).toBe(false);
    expect(sure('-p', '--input-format', 'stream-json').canResume).toBe(false);
  });
});

describe('an end', () => {
  const done = { code: 0, signal: null };
  const unfinished = { code: 1, signal: null };
  const result = (fields: object) => Buffer.from(`${JSON.stringify({ type: 'result', ...fields })}\n`);

  it('is what the last record of the stream says', async () => {
    const streaming = () => {
      const run = sure('-p', 'x', '--output-format', 'stream-json', '--verbose');
      run.start('http://h');
      return run;
    };
    const good = streaming();
    good.heard(result({ subtype: 'success', is_error: false }));
    expect(await good.endOf(done)).toEqual(done);
    const bad = streaming();
    bad.heard(result({ subtype: 'error_during_execution', is_error: true }));
    expect(await bad.endOf(done)).toEqual(unfinished);
    expect(await streaming().endOf(done)).toEqual(unfinished);
    expect(await streaming().endOf({ code: 143, signal: null })).toEqual({ code: 143, signal: null });
  });

  it.each<[last: object, end: object]>([
    [{ type: 'assistant', message: { stop_reason: 'end_turn' } }, done],
    [{ type: 'assistant', message: { stop_reason: 'tool_use' } }, unfinished],
    [{ type: 'user', message: { content: [] } }, unfinished],
    [{ type: 'summary' }, done],
  ])('is what the transcript says: %j', async (last, end) => {
    const session = ID.replace('1', '4');
    transcript(session, last, { type: 'last-prompt' });
    expect(await sure('-p', 'x', '--session-id', session).endOf(done)).toEqual(end);
  });

  it('reads a retry as a hold, in whatever pieces it comes', () => {
    const run = sure('-p', 'x', '--output-format', 'stream-json');
    run.start('http://h');
    const line = JSON.stringify({ type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 5_000 });
    expect(run.heard(Buffer.from(line.slice(0, 20)))).toEqual([]);
    expect(run.heard(Buffer.from(`${line.slice(20)}\n`))).toEqual([
      { kind: 'hold-begun', hold: 'rate-limited', until: 8_000 },
    ]);
    expect(run.heard(Buffer.from('{"type":"assistant"}\n'))).toEqual([
      { kind: 'hold-ended', hold: 'rate-limited' },
    ]);
  });
});
