/** What a run is made of. The same scenario gives the same run, byte for byte. */
export type Scenario = {
  readonly agents: number;
  readonly hours: number;
  readonly seed: number;
  /** How many times as often as in ordinary life trouble and faults come: short runs need haste. */
  readonly haste: number;
  readonly faults: readonly FaultKind[];
  /** Only these behaviours; empty means the ordinary mix. */
  readonly only: readonly string[];
  /** One agent of each of `only` in turn, instead of a draw: for a small fleet that shows everything. */
  readonly isCast: boolean;
  /** Only these slots of the fleet; empty means all. Leaving slots out does not change the others. */
  readonly slots: readonly number[];
};

export const FAULT_KINDS = [
  'network',
  'stall',
  'hiccup',
  'suspend',
  'sleep',
  'restart',
  'switch',
  'power',
  'blackout',
  'adapters',
  'clocks',
  'noise',
  'tickets',
] as const;

/**
 * `network` delays, drops and repeats; `stall` the monitor stands still for seconds; `hiccup` it loses 1.1 s
 * every 10 s for hours; `suspend` it is away for hours while the agents go on; `sleep` everything is; `restart`
 * it restarts from its stored state; `switch` a group's network is cut; `power` a group's processes die at
 * once; `blackout` strikes all groups at once; `adapters` lose, repeat and invent receipts; `clocks` run fast or slow and are set; `noise` signals, receipts and decisions that must not be believed; `tickets` a judge that is always wrong, by choice only.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
/** A fleet comes up over the first minutes; virtual time starts here so that zero can mean never. */
export const DAY_START = 1_000_000;
/** Agents of one group share a host, a switch and an orchestrator. */
const GROUP_SIZE = 25;
export const groupOf = (slot: number): string => `g${Math.floor(slot / GROUP_SIZE)}`;

/** Tickets disturb people about agents that are fine, and so blur what else a run shows. */
const ORDINARY = FAULT_KINDS.filter((kind) => kind !== 'tickets');

export const defaultScenario: Scenario = {
  agents: 1000,
  hours: 24,
  seed: 1,
  haste: 1,
  faults: ORDINARY,
  only: [],
  isCast: false,
  slots: [],
};

/** The line to paste that runs this scenario again. */
export function replayLine(scenario: Scenario): string {
  const parts = [
    'npm run sim --',
    `--seed ${scenario.seed}`,
    `--agents ${scenario.agents}`,
    `--hours ${scenario.hours}`,
  ];
  if (scenario.haste !== defaultScenario.haste) parts.push(`--haste ${scenario.haste}`);
  if (scenario.faults.join() !== ORDINARY.join())
    parts.push(`--faults ${scenario.faults.join(',') || 'none'}`);
  if (scenario.only.length > 0) parts.push(`--only ${scenario.only.join(',')}`);
  if (scenario.slots.length > 0) parts.push(`--slots ${scenario.slots.join(',')}`);
  return parts.join(' ');
}
