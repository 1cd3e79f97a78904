import { expect, test } from 'vitest';
import { type HealthRecord, stateOf } from './health-record.ts';

const looking = {
  at: 0,
  toWall: 0,
  heartbeatInterval: 2_000,
  heartbeatTimeout: 2_000,
  activityTimeout: 60_000,
};
const silent = {
  about: { name: 'ada', namespace: null },
  status: 'disconnected',
  pingAt: 1_999,
  proofAt: 0,
} as HealthRecord;

test('an agent that is judged by an early timer has missed as many beats as by a punctual one', () => {
  for (const attentiveAt of [3_998, 3_999, 4_000, 4_001])
    expect(stateOf(silent, { ...looking, attentiveAt })).toMatchObject({ missedHeartbeats: 2 });
});
