import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDirectoryFile } from './directory-file.ts';
import { loadConfig, problemLine } from './load.ts';

const told = (text: string): readonly string[] =>
  readDirectoryFile('repo/holter.yaml', text).refused.map(problemLine);

describe('a holter.yaml in a working directory', () => {
  test('asks for longer limits', () => {
    const text = 'rules:\n  silence_act: 40m\ndetection:\n  repeated_call: { act: 9 }\n';
    expect(readDirectoryFile('repo/holter.yaml', text)).toMatchObject({
      settings: { 'rules.silence_act': '40m', 'detection.repeated_call.act': 9 },
      refused: [],
    });
  });

  test.each([
    [
      'limits:\n  step: terminate\n',
      /^repo\/holter\.yaml:2:3 {2}limits\.step can't be set in a working directory/,
    ],
    ['rules:\n  unattended: true\n', /:2:3 {2}rules\.unattended /],
    ['health_monitoring:\n  enabled: false\n', /:2:3 {2}health_monitoring\.enabled /],
    ['agents:\n  worker:\n    rules: { silence_act: 1h }\n', /:1:1 {2}agents can't be set/],
    ['groups: { crew: { limits: { step: terminate } } }\n', /:1:1 {2}groups /],
    ['fleet:\n  brake:\n    share: 1\n', /:1:1 {2}fleet /],
    ['rules:\n  silence_act: [1]\n', /:2:3 {2}rules\.silence_act must be a number or a time/],
    ['rules: [1, 2\n', /^repo\/holter\.yaml:\d+:\d+ {2}\S/],
  ])('%j is one line of warning', (text, line) => {
    expect(told(text)).toHaveLength(1);
    expect(told(text)[0]).toMatch(line);
    expect(readDirectoryFile('repo/holter.yaml', text).settings).toEqual({});
  });
});

const LINE = /^holter\.yaml:\d+:\d+ {2}\P{C}+$/u;

describe('whatever is in a holter.yaml', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'rules',
      'limits',
      'agents',
      'silence_act',
      'step',
      'health_monitoring',
      'detection',
      '__proto__',
    ),
    fc.string({ maxLength: 8 }),
  );
  const scalar = fc.oneof(
    fc.constantFrom('40m', '1h', 'terminate', '!!binary x', '*a', '&a 1', '<<'),
    fc.jsonValue(),
  );
  // Not by String: an object with a key `toString` has no text.
  const written = scalar.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const tree = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, scalar, fc.dictionary(word, tie('tree'), { maxKeys: 4 })),
  })).tree;
  const yaml = fc.oneof(
    tree.map((value) => JSON.stringify(value) ?? ''),
    fc
      .array(fc.tuple(fc.nat(3), word, fc.oneof(written, fc.constant(''))), { maxLength: 12 })
      .map((lines) => lines.map(([depth, key, value]) => `${'  '.repeat(depth)}${key}: ${value}`).join('\n')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );

  test('it is policies or problems with a place, and never a crash', () => {
    fc.assert(
      fc.property(yaml, (text) => {
        const loaded = loadConfig('holter.yaml', () => text);
        if (loaded.kind === 'loaded') return;
        expect(loaded.problems.length).toBeGreaterThan(0);
        for (const problem of loaded.problems) expect(problemLine(problem)).toMatch(LINE);
      }),
      { numRuns: 500 },
    );
  });

  test('a working directory asks only for limits that it may lengthen', () => {
    fc.assert(
      fc.property(yaml, (text) => {
        const { settings, refused } = readDirectoryFile('holter.yaml', text);
        for (const path of Object.keys(settings))
          expect(path).toMatch(/^(?:rules|detection|health_monitoring)\./);
        for (const problem of refused) expect(problemLine(problem)).toMatch(LINE);
      }),
      { numRuns: 500 },
    );
  });
});
