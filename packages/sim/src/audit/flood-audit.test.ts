import { type HolterEvent, instant } from '@holter/core';
import { expect, test } from 'vitest';
import { contract } from './contract.ts';
import { FloodAudit } from './flood-audit.ts';

test('a flood of rows is told once for each agent, a busy agent never', () => {
  const said: string[] = [];
  const audit = new FloodAudit((invariant, agentId, _at, what) =>
    said.push(`${invariant} ${agentId}: ${what}`),
  );
  const write = (agentId: string, at: number) =>
    audit.read({
      cursor: at,
      at,
      agentId,
      event: { type: 'CHECKPOINT_WRITTEN', at: instant(at) } as unknown as HolterEvent,
    });
  for (let n = 0; n < 2_000; n += 1) {
    write('flooder', n * 100);
    write('busy', n * (60_000 / contract.rowsPerMinute));
  }
  expect(said).toEqual([`12 flooder: its reports made ${contract.rowsPerMinute + 1} rows in a minute`]);
});
