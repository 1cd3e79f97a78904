/** A simulated world of agents that misbehave, to try the rules in. Start at `Simulation`. */
export { BEHAVIOURS } from './agents/mix.ts';
export type { SimAgent } from './agents/sim-agent.ts';
export { INVARIANTS, type InvariantNumber } from './audit/violation.ts';
export {
  DAY_START,
  defaultScenario,
  FAULT_KINDS,
  type FaultKind,
  HOUR,
  replayLine,
  type Scenario,
} from './base/scenario.ts';
export type { Stopwatch } from './base/stopwatch.ts';
export { defaultChainScenario, runChainSeed } from './chain/chain-simulation.ts';
export { DEMO_SPEED, demoWorld } from './demo/index.ts';
export {
  defaultEngineScenario,
  type EngineRun,
  type EngineScenario,
  engineReplayLine,
  runEngineSeed,
} from './engine/engine-simulation.ts';
export { defaultMailScenario, type MailRun, mailReplayLine, runMailSeed } from './mail/mail-simulation.ts';
export {
  type Count,
  countsOf,
  type Report,
  type Row,
  reportOf,
  requirementRows,
} from './simulation/report.ts';
export { type Shrunk, shrink } from './simulation/shrink.ts';
export { Simulation, type SimViolation } from './simulation/simulation.ts';
export { clock, Trace } from './simulation/trace.ts';
export type { Witness } from './world/witness.ts';
