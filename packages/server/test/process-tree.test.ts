import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instant } from '@holter/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  identityOf,
  isAlive,
  maybeContinue,
  ProcessTree,
  stopTree,
  TreeSensor,
  takeSpawnKey,
} from '../src/processes/index.ts';
import { realClock } from '../src/real-clock.ts';
import { endFixtures, type Fixture, isThere, startFixture, table } from './process-fixture.ts';
import { until } from './until.ts';

const clock = realClock();
const send = (pid: number, signal: NodeJS.Signals): void => void process.kill(pid, signal);
const stop = ({ tree }: Pick<Fixture, 'tree'>, cleanupMs = 1_500) =>
  stopTree({ table, tree, clock, send, cleanupMs });

afterEach(endFixtures);

describe('what is seen of a process', () => {
  it('is gone after kill -9', async () => {
    const { child, tree, exited } = await startFixture('hangs-on-a-socket');
    expect(isAlive(table, tree.root)).toBe(true);
    child.kill('SIGKILL');
    await exited;
    expect(isAlive(table, tree.root)).toBe(false);
    expect(new TreeSensor(table, tree).look().state).toBe('gone');
  });

  it('is stopped after SIGSTOP, and goes on when it is continued', async () => {
    const { child, tree } = await startFixture('hangs-on-a-socket');
    const sensor = new TreeSensor(table, tree);
    child.kill('SIGSTOP');
    await until('it is stopped', () => sensor.look().state === 'stopped');
    expect(maybeContinue({ table, send }, tree)).toBe(true);
    await until('it goes on', () => sensor.look().state === 'running');
    expect(maybeContinue({ table, send }, tree)).toBe(false);
  });

  it('burns CPU while it spins, and nothing while it hangs on a socket', async () => {
    const spinning = new TreeSensor(table, (await startFixture('spins')).tree);
    const hanging = new TreeSensor(table, (await startFixture('hangs-on-a-socket')).tree);
    await until('the start is over', () => {
      const before = hanging.look();
      return new Promise<boolean>((resolve) =>
        setTimeout(() => resolve(hanging.look().cpuMs === before.cpuMs), 100),
      );
    });
    const [spun, hung] = [spinning.look(), hanging.look()];
    await until('the spinner has burnt a while', () => spinning.look().cpuMs > spun.cpuMs + 200);
    const after = hanging.look();
    expect(after.ioBytes).toBe(hung.ioBytes);
    expect(after.cpuMs - hung.cpuMs).toBeLessThanOrEqual(20);
    expect(after).toMatchObject({ state: 'running', childrenAtWork: 0 });
    expect(after.memoryBytes).toBeGreaterThan(5_000_000);
  });

  it('counts the work of fifty children that nobody saw', async () => {
    const { tree } = await startFixture('many-children');
    const look = new TreeSensor(table, tree).look();
    expect(look.cpuMs).toBeGreaterThanOrEqual(20);
    expect(look.ioBytes).toBeGreaterThan(50_000);
    expect(tree.look()).toHaveLength(1);
  });

  it('never falls, though processes of the tree end', async () => {
    const { child, tree, said } = await startFixture('leaves-a-grandchild');
    const sensor = new TreeSensor(table, tree);
    const first = sensor.look();
    process.kill(Number(said), 'SIGKILL');
    await until('the child is gone', () => !isThere(Number(said)));
    expect(sensor.look().cpuMs).toBeGreaterThanOrEqual(first.cpuMs);
    child.kill('SIGKILL');
  });
});

describe('the end of a tree', () => {
  it('lets an agent save its state on SIGINT', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holter-stop-'));
    const fixture = await startFixture('saves-on-interrupt', join(folder, 'state'));
    expect(await stop(fixture)).toMatchObject({ kind: 'gone', by: 'SIGINT' });
    expect(existsSync(join(folder, 'state'))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it('needs SIGKILL for one that ignores the polite signals, within the time given', async () => {
    const fixture = await startFixture('ignores-term');
    const before = clock.now();
    expect(await stop(fixture, 900)).toMatchObject({ kind: 'gone', by: 'SIGKILL' });
    expect(clock.now() - before).toBeLessThan(900);
    expect(isAlive(table, fixture.tree.root)).toBe(false);
  });

  it('takes along a grandchild in a session of its own', async () => {
    const fixture = await startFixture('leaves-a-grandchild');
    expect(await stop(fixture)).toMatchObject({ kind: 'gone' });
    expect(isThere(Number(fixture.said))).toBe(false);
  });

  it('finds a grandchild that outlived its parent, though it was never seen below it', async () => {
    const fixture = await startFixture('leaves-a-grandchild', 'die');
    await fixture.exited;
    expect(isThere(Number(fixture.said))).toBe(true);
    expect(fixture.tree.look()).toEqual([]);
    expect(fixture.tree.sweep().map(({ pid }) => pid)).toEqual([Number(fixture.said)]);
    expect(await stop(fixture)).toMatchObject({ kind: 'gone', by: 'SIGTERM' });
    expect(isThere(Number(fixture.said))).toBe(false);
  });

  it('reaches a stopped process by letting it go on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holter-stop-'));
    const fixture = await startFixture('saves-on-interrupt', join(folder, 'state'));
    fixture.child.kill('SIGSTOP');
    await until('it is stopped', () => fixture.tree.look()[0]?.state === 'stopped');
    expect(await stop(fixture)).toMatchObject({ kind: 'gone', by: 'SIGINT' });
    expect(existsSync(join(folder, 'state'))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it('says what is left when a signal does not help', async () => {
    const { tree } = await startFixture('ignores-term');
    const result = await stopTree({ table, tree, clock, send: () => undefined, cleanupMs: 150 });
    expect(result).toMatchObject({ kind: 'still-there', left: [{ pid: tree.root.pid }] });
  });
});

describe('a pid that was used again', () => {
  it('is another process, and gets no signal', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
      stdio: 'ignore',
      detached: true,
    });
    const pid = stranger.pid ?? 0;
    const row = await until('it runs', () => table.row(pid));
    const dead = { ...identityOf(table, row), startedAt: String(Number(row.startedAt) - 100) };
    const sent: string[] = [];
    const tree = new ProcessTree(table, dead, `nobody-${process.pid}`);
    const result = await stopTree({
      table,
      tree,
      clock,
      cleanupMs: 200,
      send: (to, signal) => void sent.push(`${signal} ${to}`),
    });
    expect(result).toEqual({ kind: 'gone', by: null, signalled: 0 });
    expect(sent).toEqual([]);
    expect(isAlive(table, dead)).toBe(false);
    expect(isAlive(table, { ...identityOf(table, row), bootId: 'the boot before' })).toBe(false);
    expect(isThere(pid)).toBe(true);
    stranger.kill('SIGKILL');
  });

  it('is looked up right before each signal, not only when the tree was noted', async () => {
    const { tree, child } = await startFixture('hangs-on-a-socket');
    const sent: string[] = [];
    let looks = 0;
    // The process ends, and its pid is given to another, between the sweep and the signal.
    const swapped = {
      ...table,
      row: (pid: number) => {
        const row = table.row(pid);
        looks += 1;
        return row && looks > 1 ? { ...row, startedAt: `${row.startedAt}0` } : row;
      },
    };
    const victim = new ProcessTree(swapped, tree.root, `nobody-${process.pid}`);
    const send = (to: number, signal: string): void => void sent.push(`${signal} ${to}`);
    await stopTree({ table: swapped, tree: victim, clock, send, cleanupMs: 200 });
    expect(sent).toEqual([]);
    child.kill('SIGKILL');
  });
});

it('gives the key of a start to one taker only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-keys-'));
  const at = instant(Date.now());
  expect(takeSpawnKey(join(folder, 'keys'), 'abc', at, 'one')).toBe(true);
  expect(takeSpawnKey(join(folder, 'keys'), 'abc', at, 'another')).toBe(false);
  expect(takeSpawnKey(join(folder, 'keys'), 'abd', at, 'another')).toBe(true);
  rmSync(folder, { recursive: true });
});
