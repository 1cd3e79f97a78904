import { createHash } from 'node:crypto';
import type { Registration } from '@holter/core';
import { Engine } from '../../src/engine/engine.ts';
import { ReplyQueue } from '../../src/engine/reply-queue.ts';
import { Intake, type Sender } from '../../src/intake/index.ts';
import { defaultPolicies, type PolicySet } from '../../src/policy/index.ts';
import { PostOffice, startPinger } from '../../src/post/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { ManualClock, settled } from '../manual-clock.ts';

export const OWN = 'ecos-chief-of-staff';
export const MINUTE = 60_000;
export const ADA: Sender = { role: 'agent', agentId: 'ada', incarnation: 1 };

export const pinged = (agentId: string): Registration => ({
  agentId,
  instanceId: 'i',
  role: 'active-development',
  group: 'default',
  mode: 'nudge',
  promises: { pongs: true },
  can: ['nudge'],
  executor: null,
});

/** A post office with its pings, and the agent `ada` that has promised to answer them. */
export async function postWorld(policies: PolicySet = defaultPolicies) {
  const clock = new ManualClock();
  const store = openMemory();
  let ids = 0;
  const fail = (error: unknown) => {
    throw error;
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const newId = () => `id-${++ids}`;
  const engine: Engine = new Engine({
    store,
    clock,
    policies,
    executors: [],
    sha256,
    newId,
    newSecret: () => 'secret',
    onBug: fail,
  });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  engine.addExecutor(replies);
  replies.follow(engine);
  await engine.start();
  const intake = new Intake({ engine, replies, store, clock });
  const name = () => OWN;
  const office = new PostOffice({ engine, intake, replies, store, clock, sha256, newId, name });
  const stop = startPinger({ engine, store, office, clock, failed: fail });
  await engine.register(pinged('ada'));
  const pings = async () => {
    const letters = await store.listLetters({ of: 'ada', box: 'inbox', limit: 100 });
    const contents = letters.map(({ content }) => JSON.parse(content) as { type: string; sequence: number });
    return contents.filter(({ type }) => type === 'heartbeat').map(({ sequence }) => sequence);
  };
  const answer = async (sequence: number | undefined, status = 'healthy') =>
    office.send(
      {
        from: 'ada',
        to: OWN,
        subject: '[HEARTBEAT] Response',
        priority: 'low',
        content: { type: 'heartbeat-response', message: 'pong', sequence, status },
        inReplyTo: null,
        clientId: null,
      },
      ADA,
    );
  const agent = async () => {
    await settled();
    return engine.read('ada');
  };
  return { clock, store, engine, office, stop, pings, answer, agent };
}
