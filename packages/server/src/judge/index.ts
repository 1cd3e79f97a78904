export { Judge } from './judge.ts';
export { type BookedTicket, isOpen } from './ticket-book.ts';
