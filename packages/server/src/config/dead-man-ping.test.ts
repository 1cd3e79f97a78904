import { expect, it } from 'vitest';
import { effectiveSettings } from './effective.ts';
import { loadConfig, problemLine } from './load.ts';

const env = { PING: 'https://hc-ping.com/secret-uuid' };
const load = (text: string) => loadConfig('holter.yaml', () => text, env);

it('takes the address from a variable, and never shows it', () => {
  const loaded = load('dead_man_ping: { url_env: PING, every: 30s }');
  if (loaded.kind === 'invalid') throw new Error(loaded.problems.map(problemLine).join('\n'));
  expect(loaded.config.deadMan).toEqual({ url: env.PING, everyMs: 30_000 });
  const written = load(`dead_man_ping: { url: "${env.PING}" }`);
  if (written.kind === 'invalid') throw new Error('invalid');
  const shown = effectiveSettings(written.config, { role: 'default', agentId: 'ada' });
  expect(JSON.stringify(shown)).not.toContain('secret-uuid');
  for (const text of ['metrics: { per_agent: true }', 'dead_man_ping: { url: none }']) {
    const none = load(text);
    expect(none.kind === 'loaded' && none.config.deadMan).toBeNull();
  }
});

it.each([
  ['dead_man_ping: { url: "http://example.org/x" }', /dead_man_ping\.url must be an https address/],
  ['dead_man_ping: { url_env: MISSING }', /dead_man_ping\.url_env names MISSING, which is not set/],
  ['dead_man_ping: { url_env: PING, url: "https://a.b/c" }', /say the same; keep one/],
  ['dead_man_ping: { url_env: PING, every: 1s }', /dead_man_ping\.every must be 5s to 1d/],
])('%s is an error', (text, line) => {
  const loaded = load(text);
  expect(loaded.kind === 'invalid' && loaded.problems.map(problemLine).join('\n')).toMatch(line);
});
