export { Alerts } from './alerts.ts';
export { conditionsAt, FAILURES_TOLD } from './conditions.ts';
