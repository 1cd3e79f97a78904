export { traceSettings } from './settings.ts';
export { Traces } from './traces.ts';
