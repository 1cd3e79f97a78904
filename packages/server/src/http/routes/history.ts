import { type Instant, instant } from '@holter/core';
import { dayOf, HistoryBook } from '../fleet/history-book.ts';
import { defineRoute, type Route } from '../route.ts';
import { history } from '../schema/page-views.ts';
import type { HistoryView } from '../types.ts';
import type { HttpContext } from './context.ts';

const DAYS = 30;
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

type Minutes = Readonly<Record<string, number>>;

/** The last thirty days: how agents were, what was done about it, and whether that helped. */
export function historyRoutes({ deps }: HttpContext): readonly Route[] {
  const { store, clock } = deps;
  const book = new HistoryBook(store);
  /** A day that is over does not change any more. */
  const finished = new Map<number, Minutes>();
  let today: { readonly at: number; readonly minutes: Minutes } | null = null;

  async function minutesOf(day: number, now: Instant): Promise<Minutes> {
    const known = finished.get(day);
    if (known) return known;
    const isToday = day === dayOf(now);
    if (isToday && today && now - today.at < MINUTE_MS) return today.minutes;
    const to = instant(Math.min(now, day + DAY_MS));
    const sums = await store.stateTime({ from: instant(day), to });
    const minutes = Object.fromEntries(Object.entries(sums).map(([state, ms]) => [state, ms / MINUTE_MS]));
    if (isToday) today = { at: now, minutes };
    else finished.set(day, minutes);
    return minutes;
  }

  return [
    defineRoute({
      method: 'GET',
      url: '/v1/history',
      summary: 'Thirty days in numbers, and the newest incidents that are over.',
      access: ['viewer', 'operator', 'orchestrator'],
      answers: { 200: { description: 'Oldest day first.', schema: history } },
      handle: async (): Promise<HistoryView> => {
        const at = clock.now();
        await book.catchUp();
        const days: HistoryView['days'] = [];
        for (let back = DAYS - 1; back >= 0; back -= 1) {
          const day = dayOf(at) - back * DAY_MS;
          days.push({ ...book.day(day), stateMinutes: { ...(await minutesOf(day, at)) } });
        }
        return { at, days, latency: book.latency, incidents: [...book.incidents] };
      },
    }),
  ];
}
