export { redact } from './redact.ts';
export { redactValue } from './redact-value.ts';
