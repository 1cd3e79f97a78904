import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeServiceNotice } from './service-notify.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-notify-'));
  const program = join(folder, 'systemd-notify');
  writeFileSync(program, '#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> "$0.log"\n');
  chmodSync(program, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

const heard = (): readonly string[] => {
  const file = join(folder, 'systemd-notify.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};

it('tells the service manager each word, and keeps its address from whatever is started', async () => {
  const env: NodeJS.ProcessEnv = {
    PATH: `${folder}:/usr/bin:/bin`,
    NOTIFY_SOCKET: '/run/notify',
    WATCHDOG_USEC: '600000000',
    WATCHDOG_PID: '1',
  };
  const notify = takeServiceNotice(env);
  expect(env).toEqual({ PATH: `${folder}:/usr/bin:/bin` });
  for (const word of ['READY=1', 'WATCHDOG=1', 'STOPPING=1'] as const) {
    notify(word);
    await vi.waitFor(() => expect(heard().at(-1)).toBe(`/run/notify ${word}`), 10_000);
  }
  expect(heard()).toHaveLength(3);
});

it('tells nobody where no service manager has started it, and survives that its program is missing', () => {
  takeServiceNotice({ PATH: folder })('READY=1');
  expect(heard()).toEqual([]);
  takeServiceNotice({ PATH: '/missing', NOTIFY_SOCKET: '/run/notify' })('READY=1');
});
