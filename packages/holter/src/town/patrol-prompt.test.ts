import { readFileSync } from 'node:fs';
import { compile } from '@holter/server/policy';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { PATROL_EXAMPLE, PATROL_PROMPT } from './patrol-prompt.ts';

const docs = new URL('../../../../docs/watchdog.md', import.meta.url);

const commandIn = (text: string): readonly string[] => {
  const { town } = parse(text) as { readonly town: { readonly deacon_command: readonly string[] } };
  expect(compile({ town }).kind).toBe('compiled');
  return town.deacon_command;
};

it('is in the example, and in that of the documentation', () => {
  expect(commandIn(PATROL_EXAMPLE)).toEqual(['AGENT', PATROL_PROMPT]);
  const [, example = ''] =
    /```yaml\n(town:\n {2}deacon_command:\n[^`]*)```/.exec(readFileSync(docs, 'utf8')) ?? [];
  expect(commandIn(example)[1]).toBe(PATROL_PROMPT);
});
