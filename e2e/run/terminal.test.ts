import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { bin, fixture, until, World } from './kit.ts';

const world = new World();
const socket = `holter-test-${process.pid}`;
const node = process.execPath;

/** A separate tmux server, so that no other tmux session is touched. */
const tmux = (...args: readonly string[]): string =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: world.env });

const screen = (): string => tmux('capture-pane', '-p', '-e', '-t', '=pane:');
const shows = (text: string | RegExp): Promise<unknown> =>
  until(
    `the screen shows ${text}\n${screen()}`,
    () => (typeof text === 'string' ? screen().includes(text) : text.test(screen())),
    15_000,
  );

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

afterAll(async () => {
  if (hasTmux) tmux('kill-session', '-t', '=pane');
  await world.close();
});

describe.runIf(hasTmux)('at a terminal', () => {
  it('a program has its colours, its size, its keys and its Ctrl-C, as without Holter', async () => {
    tmux('new-session', '-d', '-s', 'pane', '-x', '80', '-y', '24', 'sh');
    tmux(
      'send-keys',
      '-t',
      '=pane:',
      '-l',
      `${node} ${bin} run --agent screen -- ${node} ${fixture('screen')}; echo "code $?"`,
    );
    tmux('send-keys', '-t', '=pane:', 'Enter');
    await shows('tty true true');
    expect(screen()).toContain('\u001b[31mred');
    expect(screen()).toContain('through /dev/tty');
    expect(screen()).toContain('size 80x24');
    tmux('resize-window', '-t', '=pane:', '-x', '100', '-y', '30');
    await shows('size 100x30');
    tmux('send-keys', '-t', '=pane:', '-l', 'hello');
    tmux('send-keys', '-t', '=pane:', 'Enter');
    await shows('keys "hello\\n"');
    tmux('send-keys', '-t', '=pane:', 'C-c');
    await shows('interrupt 1');
    expect(await world.agent('screen')).toMatchObject({ end: null, mode: 'nudge' });
    tmux('send-keys', '-t', '=pane:', 'C-c');
    await shows('code 130');
    expect(await world.agent('screen')).toMatchObject({ end: { how: 'stopped' }, incident: null });
  });

  it('Ctrl-Z stops both, and fg brings both back', async () => {
    tmux(
      'send-keys',
      '-t',
      '=pane:',
      '-l',
      `clear; set -m; ${node} ${bin} run --agent paused -- ${node} ${fixture('quiet')}`,
    );
    tmux('send-keys', '-t', '=pane:', 'Enter');
    await shows(/pid \d+/);
    const [, command] = /pid (\d+)/.exec(screen()) ?? [];
    const stat = (pid = '') => readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, run] = /\) \w (\d+)/.exec(stat(command)) ?? [];
    const areStopped = () => [command, run].map((pid) => / T /.test(stat(pid)));
    tmux('send-keys', '-t', '=pane:', 'C-z');
    await shows(/Stopped|suspended|\[1\] \+/);
    await until('both are stopped', () => areStopped().every((isStopped) => isStopped));
    tmux('send-keys', '-t', '=pane:', '-l', 'fg');
    tmux('send-keys', '-t', '=pane:', 'Enter');
    // A key that comes before would take `fg` away from the shell.
    await until('both run again', () => !areStopped().some((isStopped) => isStopped));
    await world.untilAgent('paused', 'it is watched again', ({ liveness }) => liveness === 'alive');
    tmux('send-keys', '-t', '=pane:', 'C-c');
    await world.untilAgent('paused', 'it ended on purpose', ({ end }) => end?.how === 'stopped');
  });

  it('a run that is killed gives the terminal back, and says what became of the command', async () => {
    tmux(
      'send-keys',
      '-t',
      '=pane:',
      '-l',
      `clear; ${node} ${bin} run --agent raw -- ${node} ${fixture('raw')}; echo "code $?"`,
    );
    tmux('send-keys', '-t', '=pane:', 'Enter');
    await shows(/raw pid \d+/);
    const [, command] = /raw pid (\d+)/.exec(screen()) ?? [];
    const [, parent] = /\) \w (\d+)/.exec(readFileSync(`/proc/${command}/stat`, 'utf8')) ?? [];
    process.kill(Number(parent), 'SIGKILL');
    await shows(/holter: the run of raw was killed; its process/);
    tmux('send-keys', '-t', '=pane:', '-l', 'echo sum $((40 + 2))');
    tmux('send-keys', '-t', '=pane:', 'Enter');
    await shows(/^sum 42$/m);
    expect(tmux('display-message', '-p', '-t', '=pane:', '#{alternate_on} #{mouse_any_flag}').trim()).toBe(
      '0 0',
    );
  });
});
