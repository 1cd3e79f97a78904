import { instant } from '@holter/core';
import type { FileAnswer, ProcessTable } from '@holter/server/process';
import { expect, it } from 'vitest';
import type { FoundAgent } from './find-agent.ts';
import { SessionFiles } from './session-files.ts';

it('says which session file can not be used, when that changes', async () => {
  let answer: FileAnswer<unknown> = { kind: 'refused', because: 'is a FIFO' };
  let now = 0;
  const said: string[] = [];
  const files = new SessionFiles(
    {} as ProcessTable,
    { now: () => instant(now), after: () => () => undefined },
    (line) => void said.push(line),
  );
  const session = async (
    _env: unknown,
    _table: unknown,
    { noted }: { readonly noted?: (path: string, answer: FileAnswer<unknown>) => void } = {},
  ) => {
    noted?.('/home/ada/sessions/7.json', answer);
    return new Map();
  };
  const found = {
    adapter: { name: 'ada', session },
    env: { HOME: '/home/ada' },
    process: { pid: 7, startedAt: '1', bootId: 'b' },
  } as unknown as FoundAgent;
  const look = async (): Promise<void> => {
    now += 10_000;
    expect(await files.of(found)).toBeNull();
  };
  await look();
  await look();
  answer = { kind: 'ok', value: null };
  await look();
  answer = { kind: 'refused', because: 'is a symbolic link' };
  await look();
  expect(said).toEqual([
    '/home/ada/sessions/7.json is a FIFO',
    '/home/ada/sessions/7.json is a symbolic link',
  ]);
});
