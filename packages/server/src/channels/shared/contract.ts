import { type Effect, instant } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/manual-clock.ts';
import type { ActResult } from '../../engine/executor.ts';
import type { Channel } from './channel.ts';
import { ChannelExecutor } from './channel-executor.ts';

/** How the other side answers: 2xx, 429 with 30 s, 500, 400, not at all, in another protocol, or bit by bit. */
export type Answering =
  | 'takes it'
  | 'asks to wait'
  | 'fails'
  | 'refuses'
  | 'is silent'
  | 'talks nonsense'
  | 'is slow';

/** A real receiver, for a push channel. */
export type OtherSide = {
  readonly answer: (how: Answering) => void;
  /** Keys of the notices that it shows to people. */
  readonly arrived: () => readonly string[];
  readonly close: () => Promise<void>;
};

type Fixture = { readonly channel: Channel; readonly other?: OtherSide };

type Bench = { executor: ChannelExecutor; clock: ManualClock; told: string[] };

const benchOf = (channel: Channel): Bench => {
  const clock = new ManualClock();
  const told: string[] = [];
  const failed = async (_notice: Effect, name: string, detail: string) =>
    void told.push(`${name}: ${detail}`);
  return { clock, told, executor: new ChannelExecutor({ channels: [channel], clock, failed }) };
};

const copyOf = (channel: string, noticeId: string): Effect => ({
  id: `${noticeId}/to/${channel}`,
  agentId: 'ada',
  incarnation: 1,
  executor: null,
  livesBy: 'incident:ada/1',
  kind: 'notify',
  audience: 'operator',
  severity: 'critical',
  message: 'ada needs you',
  incidentId: 'ada/1',
  via: { channel, noticeId },
  alert: {
    alertId: noticeId,
    action: 'trigger',
    number: 1,
    topic: 'stuck_agent',
    group: 'crew',
    severity: 'critical',
    channels: [channel],
    members: [{ agentId: 'ada', incidentId: 'ada/1', summary: 'it repeats itself', since: instant(0) }],
    count: 1,
  },
});

/** For pull channels: nothing is sent, so nothing can fail. */
export function pullContract(channel: Channel): void {
  describe(`the channel ${channel.name}`, () => {
    it('has a name that can be part of an id', () => expect(channel.name).toMatch(NAMES));

    it('keeps a notice until it is read, however often it is offered', async () => {
      const { executor, told } = benchOf(channel);
      for (let tries = 0; tries < 20; tries++)
        expect(await executor.act(copyOf(channel.name, 'n1'))).toMatchObject({ kind: 'underway' });
      expect([channel.isPull, told]).toEqual([true, []]);
    });
  });
}

type PushTraits = {
  /** Its protocol has no way to name a time for the next try. */
  readonly canNotAskToWait?: true;
};

/** For push channels, with a real receiver. */
export function pushContract(
  name: string,
  open: () => Promise<Required<Fixture>>,
  { canNotAskToWait }: PushTraits = {},
): void {
  describe(`the channel ${name}`, () => {
    let fixture: Required<Fixture>;
    let bench: Bench;
    beforeEach(async () => {
      fixture = await open();
      bench = benchOf(fixture.channel);
    });
    afterEach(() => fixture.other.close());

    const act = (noticeId: string): Promise<ActResult> => bench.executor.act(copyOf(name, noticeId));
    const pauseOf = (result: ActResult): number | 'never' => {
      if (result.kind !== 'failed' || result.retryAt === undefined) throw new Error(JSON.stringify(result));
      return result.retryAt === 'never' ? 'never' : (result.retryAt - bench.clock.now()) / 1_000;
    };

    it('has a name that can be part of an id', () => {
      expect([fixture.channel.name, fixture.channel.isPull]).toEqual([name, undefined]);
      expect(name).toMatch(NAMES);
    });

    it('posts a notice again after a crash, and people see it once', async () => {
      expect(await act('n1')).toMatchObject({ kind: 'receipt', outcome: 'posted' });
      expect(await act('n1')).toMatchObject({ kind: 'receipt', outcome: 'posted' });
      expect(fixture.other.arrived()).toEqual([copyOf(name, 'n1').id]);
      expect(bench.told).toEqual([]);
    });

    it('waits as long as the receiver asks, and then retries', async () => {
      const { other } = fixture;
      other.answer('asks to wait');
      expect(pauseOf(await act('n1'))).toBe(canNotAskToWait ? 1 : 30);
      other.answer('takes it');
      expect(await act('n1')).toMatchObject({ outcome: 'posted' });
      expect(other.arrived()).toEqual([copyOf(name, 'n1').id]);
    });

    it('backs off while the receiver fails, and finally gives up', async () => {
      fixture.other.answer('fails');
      const pauses: (number | 'never')[] = [];
      while (pauses.at(-1) !== 'never') pauses.push(pauseOf(await act('n1')));
      expect(pauses.slice(0, 2)).toEqual([1, 2]);
      expect(pauses).toHaveLength(fixture.channel.failuresMax ?? 10);
      expect(bench.told).toHaveLength(1);
    });

    it('gives up at once when refused, and reports that once until it works again', async () => {
      const { other } = fixture;
      other.answer('refuses');
      expect([pauseOf(await act('n1')), pauseOf(await act('n2'))]).toEqual(['never', 'never']);
      expect(bench.told).toHaveLength(1);
      other.answer('takes it');
      await act('n3');
      other.answer('refuses');
      await act('n4');
      expect(bench.told).toHaveLength(2);
    });

    it('tries again after nonsense', async () => {
      const { other } = fixture;
      other.answer('talks nonsense');
      expect(pauseOf(await act('n1'))).toBe(1);
      expect(other.arrived()).toEqual([]);
      other.answer('takes it');
      expect(await act('n1')).toMatchObject({ outcome: 'posted' });
    });

    it('waits for a slow answer', async () => {
      const { other } = fixture;
      other.answer('is slow');
      expect(await act('n1')).toMatchObject({ kind: 'receipt', outcome: 'posted' });
      expect(other.arrived()).toEqual([copyOf(name, 'n1').id]);
    });

    it('times out on a silent receiver without delaying other notices', async () => {
      const { other } = fixture;
      other.answer('is silent');
      const late = ['n1', 'n2', 'n3', 'n4'].map(act);
      expect(await act('n5')).toMatchObject({ kind: 'underway' });
      await bench.clock.advance(20_000);
      for (const result of await Promise.all(late))
        expect(result).toMatchObject({ kind: 'failed', detail: 'no answer within 20 s' });
      other.answer('takes it');
      expect(await act('n5')).toMatchObject({ outcome: 'posted' });
    });
  });
}

const NAMES = /^[a-z][a-z0-9-]{0,31}$/;
