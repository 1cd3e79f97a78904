import { failureOf } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADA, MINUTE, OWN, postWorld } from '../../test/mail/post-world.ts';
import { settled } from '../../test/manual-clock.ts';
import { policyOfAgent } from '../policy/index.ts';
import { knownPresenceOf } from './presence.ts';

type World = Awaited<ReturnType<typeof postWorld>>;

/** Seed 001 §1.7, branch by branch, with the letters that pass through the post office. Role: active-development. */
describe('the flowchart of seed 001', () => {
  let world: World;
  beforeEach(async () => {
    world = await postWorld();
    await world.clock.advance(MINUTE);
    await pong();
  });
  afterEach(async () => {
    world.stop();
    await world.engine.stop();
  });

  const pong = async () => world.answer((await world.pings())[0]);
  const ada = async () => {
    const agent = await world.agent();
    if (!agent) throw new Error('ada is not registered');
    return agent;
  };
  const policy = async () => policyOfAgent(world.engine.currentPolicies, (await ada()).hard);
  const health = async () => (await ada()).hard.health;
  const missed = async () => (await ada()).hard.derived.find(({ kind }) => kind === 'no-pong')?.evidence;
  const status = async () =>
    knownPresenceOf(await ada(), world.clock.now(), { policy: await policy(), stalls: world.engine.stalls });
  const classification = async () => failureOf(await ada(), await policy(), world.clock.now());
  const inquiries = async () => {
    const query = { of: 'ada', box: 'inbox', limit: 25 } as const;
    const letters = await world.office.list(query, ADA, { waitMs: 0, isGone: async () => false });
    return letters.filter(({ subject }) => subject.startsWith('[STATUS CHECK]'));
  };
  /** Three pings without an answer: at 3 min 15 s the threshold of its role is reached. */
  const missThree = () => world.clock.advance(3 * MINUTE + 16_000);

  it('heartbeat, response: the missed counter is reset, the agent is healthy', async () => {
    await world.clock.advance(2 * MINUTE + 20_000);
    expect(await missed()).toContain('2 of 3 missed');
    await pong();
    await world.clock.advance(1_000);
    expect(await missed()).toBeUndefined();
    for (let minute = 0; minute < 2; minute += 1) {
      await world.clock.advance(MINUTE);
      await pong();
    }
    expect([await health(), await status(), await classification()]).toEqual(['HEALTHY', 'online', null]);
  });

  it('heartbeat, no response, below the threshold: the next heartbeat is scheduled', async () => {
    const [before = 0] = await world.pings();
    await world.clock.advance(MINUTE + 20_000);
    expect(await missed()).toContain('1 of 3 missed');
    expect(await health()).toBe('DEGRADED');
    expect(await status()).toBe('unknown');
    expect((await world.pings())[0]).toBeGreaterThan(before);
    expect(await inquiries()).toEqual([]);
    expect((await ada()).hard.incident).toBeUndefined();
  });

  it('threshold, offline: a failure at once, classified, and a person is asked', async () => {
    const begin = await world.office.connect('ada', ADA);
    begin()('by-reader');
    await settled();
    expect(await health()).not.toBe('FAILING');
    await missThree();
    expect([await status(), await health()]).toEqual(['offline', 'FAILING']);
    expect(await classification()).toMatchObject({ kind: 'recoverable', strategy: 'wake', by: 'person' });
    expect((await ada()).hard.incident).toMatchObject({ cause: 'no-pong', step: 'escalate' });
    // It has not been asked; but once it opens its box it is connected again, and may be busy.
    expect((await ada()).hard.inquiry).toBeUndefined();
    await inquiries();
    expect(await status()).toBe('unknown');
    expect(await classification()).toMatchObject({ kind: 'transient', strategy: 'wait' });
    expect(await inquiries()).toHaveLength(1);
  });

  it('threshold, not offline, the inquiry is answered: busy, and the deadline is extended', async () => {
    await missThree();
    expect([await status(), await health()]).toEqual(['unknown', 'DEGRADED']);
    const [inquiry] = await inquiries();
    expect(inquiry).toMatchObject({ from: OWN, priority: 'high' });
    expect(JSON.parse(inquiry?.content ?? '')).toMatchObject({
      type: 'status-inquiry',
      expected_response_by: expect.any(String),
    });
    expect(await classification()).toMatchObject({ kind: 'transient', strategy: 'wait' });
    await world.clock.advance(4 * MINUTE);
    const content = { type: 'response', message: 'a large file' };
    const reply = {
      from: 'ada',
      to: OWN,
      subject: 'busy',
      priority: 'low',
      content,
      clientId: null,
    } as const;
    await world.office.send({ ...reply, inReplyTo: inquiry?.letterId ?? null }, ADA);
    expect(await status()).toBe('busy');
    // Without the answer it would have been lost again after 3 min 15 s.
    await world.clock.advance(6 * MINUTE);
    await settled();
    expect((await ada()).hard.unknownSince).toBeUndefined();
    expect((await ada()).hard.incident).toBeUndefined();
  });

  it('threshold, not offline, no answer within 5 minutes: a failure, classified, and a person is asked', async () => {
    await missThree();
    expect(await inquiries()).toHaveLength(1);
    await world.clock.advance(5 * MINUTE - 5_000);
    expect(await health()).toBe('DEGRADED');
    await world.clock.advance(10_000);
    expect([await status(), await health()]).toEqual(['unknown', 'FAILING']);
    expect(await classification()).toMatchObject({ kind: 'recoverable', strategy: 'wake', by: 'person' });
    expect((await ada()).hard.incident).toMatchObject({ cause: 'no-pong', step: 'escalate' });
  });
});
