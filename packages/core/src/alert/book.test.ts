import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hours, type Instant, instant, minutes, seconds } from '../base/time.ts';
import type { AlertNotice, Condition } from '../vocabulary/alert.ts';
import { type AlertBook, emptyBook, stepAlerts } from './book.ts';
import { alertTimes } from './times.ts';

const condition = (name: string, more: Partial<Condition> = {}): Condition => ({
  key: `stuck_agent/${name}`,
  topic: 'stuck_agent',
  group: 'crew',
  agentId: name,
  incidentId: `${name}/1`,
  severity: 'warning',
  summary: 'it repeats itself',
  since: instant(0),
  channels: ['slack'],
  ...more,
});

/** Steps every five seconds, as the server does, and stores the book as JSON in between. */
class Watcher {
  private book: AlertBook = emptyBook;
  at = 0;
  readonly told: { readonly at: number; readonly notice: AlertNotice }[] = [];

  run(forMs: number, conditions: readonly Condition[] | ((at: number) => readonly Condition[])): string[] {
    const before = this.told.length;
    for (const end = this.at + forMs; this.at < end; this.at += 5_000) {
      const now = typeof conditions === 'function' ? conditions(this.at) : conditions;
      const { book, notices } = stepAlerts(this.book, now, instant(this.at), alertTimes);
      this.book = JSON.parse(JSON.stringify(book)) as AlertBook;
      for (const notice of notices) this.told.push({ at: this.at, notice });
    }
    return this.told.slice(before).map(({ at, notice }) => {
      const names = notice.members.map(({ agentId }) => agentId).join('+');
      return `${at / 1_000}s ${notice.action} ${names}${notice.flaps ? ' flapping' : ''}`;
    });
  }

  get isEmpty(): boolean {
    return Object.keys(this.book.watches).length === 0 && Object.keys(this.book.alerts).length === 0;
  }
}

describe('one notice per condition', () => {
  it('collects for 30 s, and tells what is left together', () => {
    const watcher = new Watcher();
    const conditions = (at: number) => [
      ...(at >= 0 ? [condition('ada')] : []),
      ...(at >= 10_000 ? [condition('bob')] : []),
      ...(at >= 15_000 && at < 25_000 ? [condition('eve')] : []),
    ];
    expect(watcher.run(minutes(10), conditions)).toEqual(['30s trigger ada+bob']);
  });

  it('does not collect when one has lasted for its own time, unless there was much to tell', () => {
    const watcher = new Watcher();
    const conditions = (at: number) =>
      ['ada', 'bob', 'cal', 'dan']
        .filter((_, index) => at >= index * 60_000)
        .map((name) => condition(name, { isLasting: true }));
    expect(watcher.run(minutes(10), conditions)).toEqual([
      '0s trigger ada',
      '60s trigger bob',
      '120s trigger cal',
      '480s trigger dan',
    ]);
  });

  it('tells nothing of what resolves within 30 s', () => {
    const watcher = new Watcher();
    expect(watcher.run(seconds(25), [condition('ada')])).toEqual([]);
    expect(watcher.run(minutes(5), [])).toEqual([]);
    watcher.run(hours(2), []);
    expect(watcher.isEmpty).toBe(true);
  });

  it('repeats sooner what must not be forgotten', () => {
    const watcher = new Watcher();
    const urgent = { ...condition('ada'), isLasting: true as const, repeatMs: hours(1) };
    expect(watcher.run(hours(2), [urgent])).toEqual(['0s trigger ada', '3600s repeat ada']);
  });

  it('repeats after four hours', () => {
    const watcher = new Watcher();
    expect(watcher.run(hours(9), [condition('ada')])).toEqual([
      '30s trigger ada',
      '14430s repeat ada',
      '28830s repeat ada',
    ]);
  });

  it('tells the end within a minute, and keeps nothing', () => {
    const watcher = new Watcher();
    watcher.run(minutes(5), [condition('ada')]);
    expect(watcher.run(hours(2), [])).toEqual(['330s resolve ada']);
    expect(watcher.isEmpty).toBe(true);
  });

  it('tells the end of several when the last of them is over', () => {
    const watcher = new Watcher();
    watcher.run(minutes(5), [condition('ada'), condition('bob')]);
    expect(watcher.run(minutes(5), [condition('bob')])).toEqual([]);
    expect(watcher.run(minutes(5), [])).toEqual(['630s resolve ada+bob']);
  });

  it('is silent once it is acknowledged, until it asks again or ends', () => {
    const watcher = new Watcher();
    const seen = condition('ada', { isAcknowledged: true });
    watcher.run(minutes(5), [condition('ada')]);
    expect(watcher.run(hours(9), [seen])).toEqual(['300s acknowledge ada']);
    expect(watcher.run(minutes(5), [condition('ada')])).toEqual(['32700s repeat ada']);
    expect(watcher.run(minutes(5), [])).toEqual(['33030s resolve ada']);
    expect(new Watcher().run(hours(9), [seen])).toEqual([]);
  });

  it('leaves out what is inhibited, and tells it when that is over', () => {
    const watcher = new Watcher();
    const braked = condition('ada', { inhibitedBy: 'the brake' });
    watcher.run(seconds(20), [condition('ada')]);
    expect(watcher.run(minutes(30), [braked])).toEqual([]);
    expect(watcher.run(minutes(5), [condition('ada')])).toEqual(['1850s trigger ada']);
    expect(watcher.run(hours(9), [braked])).toEqual([]);
  });

  it('tells once what flaps, and its end when it has been away for a quarter of an hour', () => {
    const watcher = new Watcher();
    const flapping = (at: number) => (at % 120_000 < 20_000 ? [condition('ada')] : []);
    expect(watcher.run(hours(1), flapping)).toEqual(['360s trigger ada flapping']);
    expect(watcher.run(hours(1), [])).toEqual(['4400s resolve ada flapping']);
  });

  it('collects for five minutes when one lane has much to tell', () => {
    const watcher = new Watcher();
    const more = (at: number) =>
      Array.from({ length: Math.floor(at / 60_000) + 1 }, (_, index) => condition(`a${index}`));
    expect(watcher.run(minutes(14), more)).toEqual([
      '30s trigger a0',
      '90s trigger a1',
      '150s trigger a2',
      '480s trigger a3+a4+a5+a6+a7+a8',
    ]);
  });

  it('does not mix topics, groups, severities and routes', () => {
    const watcher = new Watcher();
    const others: readonly Partial<Condition>[] = [
      {},
      { topic: 'agent_failed' },
      { group: 'other' },
      { severity: 'critical' },
      { channels: ['phone'] },
      { channels: [] },
    ];
    const all = others.map((more, index) => condition('ada', { ...more, key: `k${index}` }));
    expect(watcher.run(minutes(1), all)).toHaveLength(5);
  });
});

describe('whatever happens', () => {
  /** When one condition holds, acknowledged or inhibited: a list of lengths in units of 5 s. */
  const life = fc.array(
    fc.record({
      state: fc.constantFrom('away', 'present', 'seen', 'braked'),
      steps: fc.integer({ min: 1, max: 400 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const END = 12 * 400 + 200;

  it('tells what lasts, nothing that is over, and the end of everything it told', () => {
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 4 }), (lives) => {
        const timelines = lives.map((parts) => [
          ...parts.flatMap(({ state, steps }) => Array<string>(steps).fill(state)),
        ]);
        const stateOf = (index: number, at: number): string => timelines[index]?.[at / 5_000] ?? 'away';
        const watcher = new Watcher();
        watcher.run(END * 5_000, (at) =>
          lives.flatMap((_, index) => {
            const state = stateOf(index, at);
            if (state === 'away') return [];
            const flags =
              state === 'seen'
                ? { isAcknowledged: true as const }
                : state === 'braked'
                  ? { inhibitedBy: 'x' }
                  : {};
            return [condition(`a${index}`, flags)];
          }),
        );
        const openAt = new Map<string, number>();
        for (const { at, notice } of watcher.told) {
          const { action, alertId, members, number } = notice;
          expect(number).toBe((openAt.get(alertId) ?? 0) + 1);
          openAt.set(alertId, number);
          for (const { agentId } of members) {
            const state = stateOf(Number(agentId?.slice(1)), at);
            if (action === 'trigger') expect(state).toBe('present');
            if (action === 'repeat') expect(state).not.toBe('away');
            if (action === 'resolve') expect(state).toBe('away');
          }
          if (action === 'resolve') openAt.delete(alertId);
        }
        expect([...openAt]).toEqual([]);
        expect(watcher.isEmpty).toBe(true);
        for (const index of lives.keys()) expectTold(watcher, index, (at) => stateOf(index, at));
      }),
      { numRuns: 30 },
    );
  });

  /** Whatever is present for longer than the longest wait is part of an alert by then. */
  function expectTold(watcher: Watcher, index: number, stateAt: (at: number) => string): void {
    let presentFrom: number | null = null;
    for (let at = 0; at < watcher.at; at += 5_000) {
      if (stateAt(at) !== 'present') presentFrom = null;
      else presentFrom ??= at;
      if (presentFrom === null || at - presentFrom !== alertTimes.crowdedMs + 5_000) continue;
      const open = new Set<string>();
      for (const { at: toldAt, notice } of watcher.told) {
        if (toldAt > at || !notice.members.some(({ agentId }) => agentId === `a${index}`)) continue;
        if (notice.action === 'resolve') open.delete(notice.alertId);
        else open.add(notice.alertId);
      }
      expect(open.size, `a${index} at ${at as Instant}`).toBeGreaterThan(0);
    }
  }
});
