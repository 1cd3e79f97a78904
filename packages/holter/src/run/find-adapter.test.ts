import { expect, it } from 'vitest';
import { AGENT_KINDS, adapterFor } from './find-adapter.ts';

it('goes by the name of the program, or by what it is told', () => {
  expect(adapterFor('auto', '/usr/bin/claude')?.name).toBe('claude-code');
  expect(adapterFor('auto', '/usr/bin/node')).toBeNull();
  expect(adapterFor('claude-code', '/opt/wrapper')?.name).toBe('claude-code');
  expect(adapterFor('command', '/usr/bin/claude')).toBeNull();
  expect(AGENT_KINDS.slice(0, 2)).toEqual(['auto', 'claude-code']);
});
