export { Intake, type Taken } from './intake.ts';
export { type Refused, refusalOfAnswer, refused } from './refusal.ts';
export { HOLTER, mayDecideFor, type Sender, sourceOf } from './sender.ts';
export { isTokenless, TOKENLESS_REGISTRAR, tokenlessSender } from './tokenless.ts';
