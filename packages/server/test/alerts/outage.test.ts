import { minutes } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMemory } from '../../src/store/memory/index.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { openStrict, type StrictServer } from '../channels/strict-http.ts';
import { ManualClock } from '../manual-clock.ts';
import { type AlertServer, passUntil, startAlerts } from './kit.ts';

describe('a store that is away', () => {
  const store = openMemory();
  const clock = new ManualClock();
  let ops: StrictServer;
  let phone: StrictServer;
  let server: AlertServer;

  beforeEach(async () => {
    ops = await openStrict(() => ({ key: 'ops' }));
    phone = await openStrict(() => ({ key: 'phone' }));
    server = await startAlerts(store, clock, {
      channels: { ops: { type: 'webhook', url: ops.url }, phone: { type: 'webhook', url: phone.url } },
    });
    store.setHook(() => {
      throw new StoreUnavailable('disk_full', 'no space left');
    });
  });
  afterEach(async () => {
    store.setHook(null);
    await server.stop();
    await ops.other.close();
    await phone.other.close();
  });

  const said = ({ requests }: StrictServer) =>
    requests.map(({ body }) => [body.action, body.topic, body.severity, body.lines]);

  it('is told once through every channel, again where it failed, and so is its end', async () => {
    phone.other.answer('fails');
    const trigger = [
      'trigger',
      'holter_unwell',
      'critical',
      ["Holter can't write to its store and acts on nothing: disk_full: no space left"],
    ];
    await passUntil(clock, 'it is told', () => ops.requests.length === 1 && phone.requests.length === 2);
    phone.other.answer('takes it');
    await passUntil(clock, 'it is told there, too', () => phone.requests.length === 3);
    await clock.advance(minutes(10));
    expect([said(ops), said(phone)]).toEqual([[trigger], [trigger, trigger, trigger]]);
    expect(new Set(phone.requests.map(({ headers }) => headers['x-holter-key'])).size).toBe(1);
    // A test does not need the store either.
    expect(await server.alerts.test('ops', 'olga')).toMatchObject({ kind: 'posted' });

    store.setHook(null);
    await passUntil(clock, 'its end is told', () => phone.requests.length === 4);
    expect(said(phone)[3]).toEqual([
      'resolve',
      'holter_unwell',
      'critical',
      ['Holter can write to its store again'],
    ]);
    await clock.advance(minutes(10));
    // That Holter did not look for so long is another alert.
    const ofStore = ({ requests }: StrictServer) =>
      requests.filter(({ body }) => String(body.alertId).startsWith('alert/store-'));
    expect([ofStore(ops).length, ofStore(phone).length]).toEqual([2, 4]);
  });
});
