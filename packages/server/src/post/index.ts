export { type LetterRefusalCode, LetterRefused } from './letter-refused.ts';
export { MailTray } from './mail-tray.ts';
export { startPinger } from './pinger.ts';
export { PostOffice, type Visitor } from './post-office.ts';
export { lastHeardOf, mailPresenceOf } from './presence.ts';
