import type { BookedTicket } from './ticket-book.ts';

type Counts = { tickets: number; asked: number; useful: number; falseAlarms: number };

type JudgeStats = Counts & {
  /** Share of useful tickets among those with an answer; null without answers. */
  readonly precision: number | null;
  readonly days: ({ readonly day: string } & Counts)[];
};

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
  const answered = all.useful + all.falseAlarms;
  const rows = [...days].map(([day, counts]) => ({ day, ...counts }));
  return {
    ...all,
    precision: answered === 0 ? null : all.useful / answered,
    days: rows.sort((a, b) => (a.day < b.day ? -1 : 1)),
  };
}

function count(counts: Counts, { wasAsked, answer }: BookedTicket): void {
  counts.tickets += 1;
  if (wasAsked) counts.asked += 1;
  if (answer?.answer === 'useful') counts.useful += 1;
  if (answer?.answer === 'false_alarm') counts.falseAlarms += 1;
}
