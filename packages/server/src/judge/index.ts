export { Judge } from './judge.ts';
export { statsOf } from './stats.ts';
export { type BookedTicket, isOpen } from './ticket-book.ts';
