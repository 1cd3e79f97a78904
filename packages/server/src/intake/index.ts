export { fieldWithSecret } from './clean-signal.ts';
export { Intake, type Taken } from './intake.ts';
export { Pace } from './pace.ts';
export { type Refused, refusalOfAnswer, refused } from './refusal.ts';
export { HOLTER, mayDecideFor, type Sender, sourceOf } from './sender.ts';
export { isTokenless, TOKENLESS_REGISTRAR, tokenlessSender } from './tokenless.ts';
