import { instant, minutes } from '@holter/core';
import { expect, it } from 'vitest';
import { troublesOf } from './troubles.ts';

const at = instant(minutes(60));
const organs = {
  health: {
    store: 'ok' as const,
    storeReason: null,
    lastTickAt: at,
    graceShare: 0,
    lateServers: [],
    estop: null,
  },
  brakes: [],
  channels: [],
  ping: null,
  hindrances: [],
  chain: [],
  judge: null,
};

it('is empty while all is well', () => {
  expect(troublesOf(organs, at)).toEqual([]);
  expect(troublesOf({ ...organs, health: { ...organs.health, lastTickAt: null } }, at)).toEqual([]);
});

it('names everything that is wrong, with since when', () => {
  const told = troublesOf(
    {
      health: {
        store: 'unavailable',
        storeReason: 'disk_full: no space left',
        lastTickAt: instant(at - 12_000),
        graceShare: 0.2,
        lateServers: [{ name: 'host-2 (http://10.0.0.2:4655)', lateTicks: 6 }],
        estop: { at: 3, by: 'ada', reason: 'a fire drill' },
      },
      brakes: [{ group: 'crew', engagedAt: instant(7), releaseAt: null }],
      channels: [{ name: 'ops', failedAt: instant(8), failure: 'it answered 500' }],
      ping: { everyMs: minutes(1), okAt: null, triedAt: instant(9), failures: 3, failure: 'it answered 404' },
      hindrances: ['A transaction of bob has been open for 2 min'],
      chain: [{ name: 'daemon', says: 'The daemon is silent', since: instant(11) }],
      judge: { says: 'the model can not be used; rules decide instead', since: instant(10) },
    },
    at,
  );
  expect(told.map(({ kind, name, since }) => [kind, name, since])).toEqual([
    ['estop', null, 3],
    ['store', null, at],
    ['database', null, at],
    ['ticks', null, at - 12_000],
    ['grace', null, at],
    ['server', 'host-2 (http://10.0.0.2:4655)', at],
    ['brake', 'crew', 7],
    ['channel', 'ops', 8],
    ['ping', null, 9],
    ['chain', 'daemon', 11],
    ['judge', null, 10],
  ]);
  expect(told.map(({ says }) => says).join('\n')).toMatchInlineSnapshot(`
    "Holter does nothing by itself: ada has stopped its acts (a fire drill). To let it act again: holter estop --off
    Holter can't write to its store and acts on nothing: disk_full: no space left
    A transaction of bob has been open for 2 min
    Holter has not looked at any agent for 12 s
    Holter did not look for more than a tenth of the last hour: this machine sleeps, or is too busy
    The server on host-2 (http://10.0.0.2:4655) was late 6 times in the last ten minutes: its machine sleeps, or is too busy
    The brake holds back acts for group crew: many agents were lost at once
    The channel ops does not deliver alerts: it answered 500
    The outside ping fails: it answered 404
    The daemon is silent
    The judge: the model can not be used; rules decide instead"
  `);
});

it('forgives two lost pings', () => {
  const ping = { everyMs: minutes(1), okAt: at, triedAt: at, failures: 2, failure: 'it answered 500' };
  expect(troublesOf({ ...organs, ping }, at)).toEqual([]);
});
