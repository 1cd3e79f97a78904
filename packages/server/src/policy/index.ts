/** Reading `holter.yaml`: what operators write, checked and compiled into the policies that the rules read. */
export { alertsFor, alertsForGroup } from './alert-routes.ts';
export type { ChannelType, WrittenChannel } from './channel-fields.ts';
export type { PolicyProblem } from './check.ts';
export { type Compiled, compile, defaultPolicies } from './compile.ts';
export type { HolterConfig } from './config.ts';
export { ALIASES } from './fields.ts';
export type { JudgeModel, JudgeSettings } from './judge-fields.ts';
export { isLoopback } from './loopback.ts';
export { nearest } from './nearest.ts';
export type { Network } from './network-fields.ts';
export type { Operations } from './operations-fields.ts';
export { isPatienceSetting, notHere } from './patience.ts';
export {
  checkPatience,
  crossings,
  type Explanation,
  explain,
  type PolicySet,
  patienceInForce,
  policyFor,
  policyOfAgent,
} from './policy-set.ts';
export { readPrices } from './price-fields.ts';
export type { Quotas } from './quota-fields.ts';
export { snake } from './snake.ts';
export { parseBytes, parseDuration } from './units.ts';
