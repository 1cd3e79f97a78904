import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findProcess, identityOf, ProcessTree, systemTable } from '../src/processes/index.ts';

const folder = fileURLToPath(new URL('./fixtures/process/', import.meta.url));

export const table = (() => {
  const found = systemTable();
  if (!found) throw new Error('these tests need a system whose processes can be seen');
  return found;
})();

export type Fixture = {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  /** Its first line. */
  readonly said: string;
  readonly exited: Promise<unknown>;
};

const started: ChildProcess[] = [];
let count = 0;

/** A real process in a session of its own, marked as a run's. */
export async function startFixture(name: string, ...args: string[]): Promise<Fixture> {
  const runId = `test-${process.pid}-${count++}`;
  const child = spawn(process.execPath, [`${folder}${name}.mjs`, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HOLTER_RUN_ID: runId },
  });
  started.push(child);
  const exited = once(child, 'exit');
  const [chunk] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const pid = child.pid ?? 0;
  const row = table.row(pid);
  const tree = new ProcessTree(
    table,
    row ? identityOf(table, row) : { bootId: table.bootId, pid, startedAt: 'gone' },
    runId,
  );
  return { child, tree, said: chunk.toString().trim(), exited };
}

/** Whatever a failed test has left behind. */
export function endFixtures(): void {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}

export const isThere = (pid: number): boolean => {
  const row = table.row(pid);
  return row !== null && row.state !== 'zombie' && findProcess(table, identityOf(table, row)) !== null;
};
