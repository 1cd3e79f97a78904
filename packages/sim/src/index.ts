/** A simulated world of agents that misbehave, to try the rules in. Start at `Simulation`. */

export { defaultScenario, replayLine, type Scenario } from './scenario.ts';
export { Simulation } from './simulation.ts';
export { Trace } from './trace.ts';
