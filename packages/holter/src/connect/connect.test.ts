import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapterNamed } from '@holter/server/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import type { Io } from '../terminal/io.ts';

const SECRET = 'hlt_hook_thisIsTheSecret';
const URL_ = 'http://127.0.0.1:4658';

let home: string;
let project: string;
let said: string;
let io: Io;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holter-connect-'));
  project = join(home, 'shop');
  mkdirSync(project);
  said = '';
  const say = (text: string): void => {
    said += text;
  };
  io = {
    out: say,
    err: say,
    env: { HOME: home, HOLTER_URL: URL_, HOLTER_TOKEN: SECRET },
    workingDirectory: project,
    isTerminal: false,
    hasColour: false,
    isLogTerminal: false,
    width: 100,
    setExitCode: () => undefined,
    onStop: () => () => undefined,
    onHangup: () => undefined,
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = async (...args: readonly string[]): Promise<string> => {
  said = '';
  await (await createProgram(io)).parseAsync(['node', 'holter', 'connect', 'claude-code', ...args]);
  return said;
};
const local = () => join(project, '.claude', 'settings.local.json');
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const write = (path: string, value: object, indent: string | number = 2) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, indent)}\n`);
};

describe('holter connect claude-code', () => {
  it('writes hooks for this project, in few words, and never shows the token', async () => {
    const shown = await run('--dry-run');
    expect(shown).toMatch(/\+ +"hooks"/);
    const out = await run();
    expect(out).toMatch(
      /^connected: .*\n {2}changed {2}\S+settings\.local\.json \(hooks added\)\n {2}undo {5}holter connect claude-code --remove\n$/,
    );
    expect(shown + out).not.toContain(SECRET);
    const { hooks } = json(local());
    expect(hooks.PreToolUse[0].hooks[0]).toEqual({
      type: 'http',
      url: `${URL_}/hooks/claude-code`,
      timeout: 2,
      headers: { Authorization: `Bearer ${SECRET}` },
    });
    expect(
      JSON.stringify(hooks)
        .match(/"url":"[^"]*"/g)
        ?.join(),
    ).not.toContain(SECRET);
    expect(statSync(local()).mode & 0o777).toBe(0o600);
  });

  it('keeps what others wrote, and its indentation; a second time changes nothing; --remove restores it', async () => {
    const own = { model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }] } };
    write(local(), own, '\t');
    const before = readFileSync(local(), 'utf8');
    await run();
    expect(json(local())).toMatchObject({ model: 'opus' });
    expect(json(local()).hooks.Stop).toHaveLength(2);
    expect(readFileSync(local(), 'utf8')).toContain('\n\t"model"');
    expect(readFileSync(`${local()}.before-holter`, 'utf8')).toBe(before);
    const once = readFileSync(local(), 'utf8');
    expect(await run()).toContain('connected already');
    expect(readFileSync(local(), 'utf8')).toBe(once);
    await run('--remove');
    expect(readFileSync(local(), 'utf8')).toBe(before);
    expect(await run('--remove')).toContain('nothing to do');
  });

  it('moves to another server in place, and leaves no file behind that holds nothing', async () => {
    await run();
    const moved = { ...io, env: { ...io.env, HOLTER_URL: 'http://127.0.0.1:5000' } };
    await (await createProgram(moved)).parseAsync(['node', 'holter', 'connect', 'claude-code']);
    expect(json(local()).hooks.Stop).toHaveLength(1);
    expect(json(local()).hooks.Stop[0].hooks[0].url).toContain(':5000/');
    await run('--remove');
    expect(existsSync(local())).toBe(false);
  });

  it('gives back the same bytes and mode, also after it was connected twice', async () => {
    mkdirSync(join(project, '.claude'));
    const own = '{"model":   "opus",\n\t"hooks": {"Stop": [ ]},\r\n "z": [1,2]}';
    writeFileSync(local(), own);
    chmodSync(local(), 0o640);
    await run();
    const moved = { ...io, env: { ...io.env, HOLTER_URL: 'http://127.0.0.1:5000' } };
    await (await createProgram(moved)).parseAsync(['node', 'holter', 'connect', 'claude-code']);
    expect(statSync(local()).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${local()}.before-holter`, 'utf8')).toBe(own);
    expect(statSync(`${local()}.before-holter`).mode & 0o777).toBe(0o640);
    await run('--remove');
    expect(readFileSync(local(), 'utf8')).toBe(own);
    expect(statSync(local()).mode & 0o777).toBe(0o640);
    expect(existsSync(`${local()}.before-holter`)).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)('leaves the file to its owner', async () => {
    write(local(), { model: 'opus' });
    chownSync(local(), 1234, 1235);
    await run();
    expect(statSync(local())).toMatchObject({ uid: 1234, gid: 1235 });
    await run('--remove');
    expect(statSync(local())).toMatchObject({ uid: 1234, gid: 1235 });
  });

  it('takes out only its hooks when the rest was changed since', async () => {
    write(local(), { model: 'opus' });
    await run();
    write(local(), { ...json(local()), model: 'sonnet' });
    await run('--remove');
    expect(json(local())).toEqual({ model: 'sonnet' });
  });

  it('changes nothing on a dry run, nor what it does not understand', async () => {
    expect(await run('--dry-run')).toContain('nothing was changed');
    expect(existsSync(local())).toBe(false);
    mkdirSync(join(project, '.claude'));
    writeFileSync(local(), '{ "model": // mine\n');
    await expect(run()).rejects.toThrow(/not a JSON object, so it was left alone/);
    expect(readFileSync(local(), 'utf8')).toContain('// mine');
  });

  it('follows a link to where the settings really are, and can name a variable instead of the token', async () => {
    const dotfiles = join(home, 'dotfiles.json');
    write(dotfiles, { theme: 'dark' });
    mkdirSync(join(home, '.claude'));
    symlinkSync(dotfiles, join(home, '.claude', 'settings.json'));
    await run('--user', '--token-env', 'MY_TOKEN');
    expect(json(dotfiles).hooks.Stop[0].hooks[0]).toMatchObject({
      headers: { Authorization: 'Bearer $MY_TOKEN' },
      allowedEnvVars: ['MY_TOKEN'],
    });
    expect(readFileSync(dotfiles, 'utf8')).not.toContain(SECRET);
  });

  it('replaces a token of an earlier version, says so, and keeps no copy of it', async () => {
    const enroll = 'hlt_couldRegisterAgents';
    const own = { model: 'opus' };
    write(local(), own);
    const connect = adapterNamed('claude-code')?.connect;
    const before = connect?.add(readFileSync(local(), 'utf8'), {
      serverUrl: URL_,
      header: { token: enroll },
    });
    writeFileSync(local(), before ?? '');
    writeFileSync(`${local()}.before-holter`, before ?? '');
    const out = await run();
    expect(out).toContain('could register agents');
    for (const file of [local(), `${local()}.before-holter`]) {
      expect(readFileSync(file, 'utf8')).not.toContain(enroll);
      expect(json(file)).toMatchObject(own);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(json(local()).hooks.Stop[0].hooks[0].headers).toEqual({ Authorization: `Bearer ${SECRET}` });
  });

  it('is not for agents, nor for other kinds', async () => {
    io = { ...io, env: { ...io.env, HOLTER_AGENT_ID: 'ada' } };
    await expect(run()).rejects.toThrow(/terminal of the agent ada/);
  });
});

describe('why hooks are silent', () => {
  const diagnose = (more: object = {}) =>
    adapterNamed('claude-code')?.doctor?.({ ...io, serverUrl: URL_, hasSessions: false, ...more });
  const user = () => join(home, '.claude', 'settings.json');

  it('reports nothing without a connection, and no problem with a working one', async () => {
    expect(diagnose()).toBeNull();
    await run();
    expect(diagnose()).toMatchObject({
      isFine: true,
      says: expect.stringContaining('no session has reported yet'),
    });
    expect(diagnose({ hasSessions: true })).toMatchObject({ isFine: true });
  });

  it.each<[why: string, says: RegExp, arrange: () => void]>([
    ['disabled', /all hooks are switched off/, () => write(user(), { disableAllHooks: true })],
    [
      'not allowed',
      /does not allow hooks to/,
      () => write(user(), { allowedHttpHookUrls: ['https://ok.example/*'] }),
    ],
    [
      'untrusted',
      /is not trusted/,
      () =>
        write(join(home, '.claude', '.claude.json'), {
          projects: { [project]: { hasTrustDialogAccepted: false } },
        }),
    ],
    [
      'never arrived',
      /none of its hooks arrived/,
      () => {
        const folder = join(home, '.claude', 'projects', project.replace(/[^A-Za-z0-9]/g, '-'));
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'x.jsonl'), '');
      },
    ],
  ])('%s', async (_why, says, arrange) => {
    await run();
    await new Promise((resolve) => setTimeout(resolve, 15));
    arrange();
    expect(diagnose()).toMatchObject({ isFine: false, says: expect.stringMatching(says) });
  });

  it('a token that can do more than post hooks', async () => {
    await run();
    writeFileSync(local(), readFileSync(local(), 'utf8').replaceAll('hlt_hook_', 'hlt_'));
    expect(diagnose()).toMatchObject({
      isFine: false,
      says: expect.stringContaining('can do more than post hooks'),
      next: 'replace it: holter connect claude-code',
    });
  });

  it('sent to another server', async () => {
    await run();
    expect(diagnose({ serverUrl: 'http://127.0.0.1:9' })).toMatchObject({
      next: 'holter connect claude-code',
    });
  });
});
