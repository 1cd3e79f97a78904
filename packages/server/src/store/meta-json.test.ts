import { expect, test } from 'vitest';
import { metaJson, readMetaJson } from './meta-json.ts';
import { NewerRecord } from './store.ts';

test('a value comes back as it was, whether it states its version or is older than versions', () => {
  const value = { at: 7, names: ['ada'] };
  expect(JSON.parse(metaJson(2, value))).toEqual({ version: 2, ...value });
  expect(readMetaJson(metaJson(2, value), 2, 'it')).toEqual(value);
  expect(readMetaJson(JSON.stringify(value), 1, 'it')).toEqual(value);
});

test('a value of a newer version is refused', () => {
  const read = () => readMetaJson(metaJson(2, {}), 1, 'the state of the alerts');
  expect(read).toThrow(NewerRecord);
  expect(read).toThrow('the state of the alerts was written by a newer Holter (version 2, this one knows 1)');
});
