import type { BookedTicket } from './ticket-book.ts';

type Counts = { tickets: number; asked: number; useful: number; falseAlarms: number };

/** The share of useful tickets among those with an answer; null without answers. */
type Rated = Counts & { readonly precision: number | null };

type JudgeStats = Rated & { readonly days: ({ readonly day: string } & Rated)[] };

const nothing = (): Counts => ({ tickets: 0, asked: 0, useful: 0, falseAlarms: 0 });

/** How right the judge was, by the answers of people. */
export function statsOf(tickets: readonly BookedTicket[]): JudgeStats {
  const all = nothing();
  const days = new Map<string, Counts>();
  for (const ticket of tickets) {
    const day = new Date(ticket.at).toISOString().slice(0, 10);
    const ofDay = days.get(day) ?? nothing();
    days.set(day, ofDay);
    for (const counts of [all, ofDay]) count(counts, ticket);
  }
  const rows = [...days].map(([day, counts]) => ({ day, ...rated(counts) }));
  return { ...rated(all), days: rows.sort((a, b) => (a.day < b.day ? -1 : 1)) };
}

function rated(counts: Counts): Rated {
  const answered = counts.useful + counts.falseAlarms;
  return { ...counts, precision: answered === 0 ? null : counts.useful / answered };
}

function count(counts: Counts, { wasAsked, answer }: BookedTicket): void {
  counts.tickets += 1;
  if (wasAsked) counts.asked += 1;
  if (answer?.answer === 'useful') counts.useful += 1;
  if (answer?.answer === 'false_alarm') counts.falseAlarms += 1;
}
