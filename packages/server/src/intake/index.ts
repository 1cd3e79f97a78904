export { Intake, type Taken } from './intake.ts';
export { redact } from './redact.ts';
export type { Refused } from './refusal.ts';
export { HOLTER, type Sender } from './sender.ts';
