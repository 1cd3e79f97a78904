import { describe, expect, it } from 'vitest';
import { effectiveSettings } from './effective.ts';
import { loadConfig, problemLine } from './load.ts';

const load = (text: string) => loadConfig('holter.yaml', () => text);

const complaints = (text: string): readonly string[] => {
  const loaded = load(text);
  return loaded.kind === 'invalid' ? loaded.problems.map(problemLine) : [];
};

describe('what is wrong with a holter.yaml is told with file, line, column and what is allowed', () => {
  it.each<[why: string, text: string, line: RegExp]>([
    [
      'an unknown key',
      'health_monitoring:\n  hartbeat: {}\n',
      /^holter\.yaml:2:3 {2}.*did you mean heartbeat/,
    ],
    ['an unknown section', 'monitoring: {}\n', /^holter\.yaml:1:1 {2}monitoring is not a known key/],
    [
      'a wrong unit',
      'rules:\n  silence_warn: 5 fortnights\n',
      /^holter\.yaml:2:3 {2}.*500ms, 90s, 15m, 2h, 1d/,
    ],
    ['out of range', 'profiles:\n  background:\n    missed_threshold: 0\n', /:3:5 {2}.*from 1 to 100, not 0/],
    ['a wrong type', 'health_monitoring:\n  enabled: maybe\n', /:2:3 {2}.*must be true or false/],
    [
      'a list item',
      'health_monitoring:\n  recovery:\n    backoff_seconds:\n      - 60\n      - ten\n',
      /:5:9 {2}.*backoff_seconds\[1\] must be 0/,
    ],
    [
      'a relation',
      'rules:\n  silence_warn: 30m\n',
      /:2:3 {2}rules\.silence_warn must be less than rules\.silence_act/,
    ],
    [
      'a name with dots',
      'agents:\n  a.b.c:\n    interval_seconds: x\n',
      /:3:5 {2}agents\.a\.b\.c\.interval_seconds/,
    ],
    ['a name that can not be', 'agents:\n  "a b": {}\n', /:2:3 {2}.*is not a valid name/],
    ['a scalar for a section', 'rules: 7\n', /:1:1 {2}rules must be a section/],
    ['a list for the whole', '- 1\n', /:1:1 {2}.*must be a section/],
    ['a key twice', 'rules: {}\nrules: {}\n', /:2:1 {2}.*unique/i],
    ['no YAML', 'rules: [1, 2\n', /^holter\.yaml:\d+:\d+ {2}\S/],
    ['a tab', 'rules:\n\tsettle: 1s\n', /^holter\.yaml:2:/],
    ['a prototype key', 'rules:\n  __proto__: 1\n', /is not a known key/],
  ])('%s', (_why, text, line) => {
    expect(complaints(text).join('\n')).toMatch(line);
  });

  it('tells all problems at once', () => {
    expect(complaints('rules:\n  settle: x\n  probation: y\nlimits:\n  step: z\n')).toHaveLength(3);
  });

  it('says when the file can not be read', () => {
    const loaded = loadConfig('gone.yaml', () => {
      throw new Error('ENOENT: no such file');
    });
    expect(loaded).toMatchObject({ kind: 'invalid', problems: [{ message: /can't be read: ENOENT/ }] });
  });

  it('refuses a bomb of aliases', () => {
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\n${'bcdefg'
      .split('')
      .map((name, index) => {
        const before = 'abcdef'[index];
        return `${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]`;
      })
      .join('\n')}\n`;
    expect(complaints(bomb).join('\n')).toMatch(/alias/i);
  });
});

it('tells where each value that holds was written', () => {
  const loaded = load('rules:\n  settle: 2s\n  probation: 20m\n');
  if (loaded.kind !== 'loaded') throw new Error('it is valid');
  const shown = effectiveSettings(loaded.config, { role: 'background', agentId: 'a' });
  const at = (path: string) => shown.find((setting) => setting.path === path);
  expect(at('rules.settle')).toMatchObject({ value: '2s', from: 'config', place: 'holter.yaml:2' });
  expect(at('rules.probation')).toMatchObject({ value: '20m', from: 'config', place: 'holter.yaml:3' });
  expect(at('health_monitoring.heartbeat.interval_seconds')).toMatchObject({
    value: 300,
    from: 'profile background',
    place: null,
  });
  expect(at('rules.silence_act')).toMatchObject({ from: 'default', place: null });
});
