import type { ProcessRow, ProcessTable } from '@holter/server/process';
import { expect, it } from 'vitest';
import { childrenOf, findAgent } from './find-agent.ts';

type Given = {
  readonly pid: number;
  readonly parentPid: number;
  readonly argv: string;
  readonly state?: 'zombie';
};

function world(...given: readonly Given[]) {
  const rows = given.map(
    ({ pid, parentPid, state = 'sleeping' as const }): ProcessRow => ({
      ...{ pid, parentPid, state, groupId: pid, startedAt: String(pid) },
      ...{ cpuMs: 0, reapedCpuMs: 0, memoryBytes: 0 },
    }),
  );
  const table = {
    bootId: 'boot',
    row: (pid: number) => rows.find((row) => row.pid === pid) ?? null,
    argv: (pid: number) => given.find((each) => each.pid === pid)?.argv.split(' ') ?? null,
    environment: () => ({ HOME: '/home/ada' }),
  } as unknown as ProcessTable;
  return findAgent(table, 10, childrenOf(rows));
}

it('the agent of a pane is found below its shell, by its program', () => {
  const found = world(
    { pid: 10, parentPid: 1, argv: '-bash' },
    { pid: 11, parentPid: 10, argv: 'claude --model opus' },
    { pid: 12, parentPid: 11, argv: '/bin/sh -c make' },
  );
  expect(found).toMatchObject({
    adapter: { name: 'claude-code' },
    program: 'claude',
    args: ['--model', 'opus'],
  });
  expect(found?.process).toEqual({ bootId: 'boot', pid: 11, startedAt: '11' });
});

it('a script is found behind its interpreter, which is kept for the next start', () => {
  expect(world({ pid: 10, parentPid: 1, argv: 'node /opt/bin/codex --full-auto' })).toMatchObject({
    adapter: { name: 'codex' },
    before: ['node'],
    program: '/opt/bin/codex',
    args: ['--full-auto'],
  });
});

it('of two agents, the one that started the other is that of the pane', () => {
  const found = world(
    { pid: 10, parentPid: 1, argv: 'sh' },
    { pid: 12, parentPid: 11, argv: 'codex' },
    { pid: 11, parentPid: 10, argv: 'claude' },
  );
  expect(found?.process.pid).toBe(11);
});

it('neither words of other programs nor zombies nor other panes count', () => {
  expect(world({ pid: 10, parentPid: 1, argv: 'vim claude' })).toBeNull();
  expect(world({ pid: 10, parentPid: 1, argv: 'bash claude' })).toBeNull();
  expect(world({ pid: 10, parentPid: 1, argv: 'claude', state: 'zombie' })).toBeNull();
  expect(world({ pid: 10, parentPid: 1, argv: 'sh' }, { pid: 11, parentPid: 1, argv: 'claude' })).toBeNull();
});
