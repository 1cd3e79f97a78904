export type { Visitor } from './box-access.ts';
export type { StreamEnd } from './connections.ts';
export { type LetterRefusalCode, LetterRefused } from './letter-refused.ts';
export { listInPages } from './list-in-pages.ts';
export { MailTray } from './mail-tray.ts';
export { startPinger } from './pinger.ts';
export { PostOffice } from './post-office.ts';
export { knownPresenceOf, lastHeardOf } from './presence.ts';
export { boxNameOf } from './standing-boxes.ts';
