export type { Alerts } from './alerts.ts';
export { conditionsAt, FAILURES_TOLD } from './conditions.ts';
export { connectAlerts } from './connect-alerts.ts';
