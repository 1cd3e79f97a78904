export { Alerts } from './alerts.ts';
export { FAILURES_TOLD } from './conditions.ts';
