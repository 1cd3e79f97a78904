import { describe, expect, it } from 'vitest';
import { ALERT_FIELDS } from './alert-fields.ts';
import { alertsFor } from './alert-routes.ts';
import { compile } from './compile.ts';

/** For each last word of a key a value that is no default. */
const OTHER: Readonly<Record<string, unknown>> = {
  channels: ['phone'],
  severity: 'info',
  when: 'stuck',
  orchestrator: ['phone'],
  after: '7m',
};

function alertsWith(alerting: object) {
  const channels = { ops: { type: 'webhook', url: 'http://a' }, phone: { type: 'webhook', url: 'http://b' } };
  const compiled = compile({ channels, health_monitoring: { alerting } } as Parameters<typeof compile>[0]);
  if (compiled.kind !== 'compiled') throw new Error(JSON.stringify(compiled.problems));
  return alertsFor(compiled.policies, { role: 'default', agentId: 'ada', group: 'default' });
}

describe('every key of alerting has an effect', () => {
  const before = alertsWith({});
  it.each(Object.keys(ALERT_FIELDS))('%s', (key) => {
    const [topic = '', name = ''] = key.split('.').slice(2);
    const after = alertsWith({ [topic]: { [name]: OTHER[name] } });
    expect(OTHER[name], 'a value for this test').toBeDefined();
    expect(after).not.toEqual(before);
    const changed = Object.keys(after).filter(
      (part) =>
        JSON.stringify(after[part as keyof typeof after]) !==
        JSON.stringify(before[part as keyof typeof before]),
    );
    // A channel of an orchestrator is no channel for people, so the others lose it.
    const part = { when: 'when', orchestrator: 'orchestrator', after: 'waitMs' }[name] ?? topic;
    expect(changed).toContain(part);
    if (name !== 'orchestrator') expect(changed).toEqual([part]);
  });
});
