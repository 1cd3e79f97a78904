import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, inject, it } from 'vitest';

const script = new URL('../scripts/postgres.mjs', import.meta.url);

it.skipIf(inject('postgres') === null)(
  'the PostgreSQL of a run of tests ends with it, even if it is killed',
  async () => {
    const code = `import { startPostgres } from ${JSON.stringify(script.href)};
      const { pid, folder } = await startPostgres();
      console.log(JSON.stringify({ pid, folder }));`;
    const args = ['--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { pid, folder } = JSON.parse(line) as { readonly pid: number; readonly folder: string };
    expect([pid > 1, existsSync(folder)]).toEqual([true, true]);
    child.kill('SIGKILL');
    await expect.poll(() => [isRunning(pid), existsSync(folder)]).toEqual([false, false]);
  },
);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
