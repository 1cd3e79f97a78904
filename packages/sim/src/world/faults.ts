import { PARTITIONS, type Partition } from '../agents/partition.ts';
import type { Random } from '../base/random.ts';
import type { FaultKind, Scenario } from '../base/scenario.ts';
import { DAY_START, HOUR, MINUTE } from '../base/scenario.ts';

export type Fault =
  /** The monitor does nothing from `at` on, for so long; `isReload` means that it also forgot what was not stored. */
  | { readonly kind: 'away'; readonly at: number; readonly forMs: number; readonly isReload: boolean }
  /** Everything stands still: the lid is closed. */
  | { readonly kind: 'sleep'; readonly at: number; readonly forMs: number }
  /** A group's switch lets nothing pass, or nothing in one direction. */
  | {
      readonly kind: 'partition';
      readonly at: number;
      readonly forMs: number;
      readonly draw: number;
      readonly partition: Partition;
    }
  | { readonly kind: 'power'; readonly at: number; readonly draw: number }
  /** All groups at once: the switch before all of them, or the power of the whole house. */
  | { readonly kind: 'blackout'; readonly at: number; readonly forMs: number; readonly partition: Partition }
  /** Somebody sets the clock on the monitor's wall, and that of one group's host. */
  | {
      readonly kind: 'clocks';
      readonly at: number;
      readonly wallMs: number;
      readonly hostMs: number;
      readonly draw: number;
    }
  | { readonly kind: 'noise' | 'tickets'; readonly at: number; readonly draw: number };

/** The others are not strokes of fate but always there. */
type DrawnKind = Exclude<FaultKind, 'network' | 'adapters'>;

const SECOND = 1_000;

/** Mean time between faults of a kind on an ordinary day. */
const every: Readonly<Record<DrawnKind, number>> = {
  stall: 90 * MINUTE,
  // Once, in the first third of the run: it lasts for hours.
  hiccup: 0,
  suspend: 11 * HOUR,
  sleep: 13 * HOUR,
  restart: 3 * HOUR,
  switch: 5 * HOUR,
  power: 9 * HOUR,
  blackout: 20 * HOUR,
  clocks: 2 * HOUR,
  noise: 4 * MINUTE,
  tickets: 4 * MINUTE,
};

/**
 * All faults of a run, drawn before it starts. The last part of a run is free of them, so that it can be seen
 * whether every agent reaches its true state once things have healed.
 */
export function drawFaults(scenario: Scenario, random: (stream: number) => Random): readonly Fault[] {
  const end = DAY_START + faultyMs(scenario);
  const faults: Fault[] = [];
  scenario.faults.forEach((kind) => {
    if (kind === 'network' || kind === 'adapters') return;
    // One stream per kind: taking a kind away leaves the others as they were.
    const dice = random(streamOf[kind]);
    if (kind === 'hiccup') {
      faults.push(...hiccups(scenario, dice));
      return;
    }
    const meanMs = every[kind] / scenario.haste;
    for (let at = DAY_START + dice.exponential(meanMs); at < end; at += dice.exponential(meanMs)) {
      const fault = faultOf(kind, at, dice, scenario.haste);
      faults.push(fault);
      // While the monitor is away a whole group dies: it has to be found afterwards.
      if (kind === 'suspend' && fault.kind === 'away' && dice.chance(0.5))
        faults.push({ kind: 'power', at: at + dice.unit() * fault.forMs, draw: dice.unit() });
    }
  });
  return faults;
}

/** How long faults may begin; the rest of the run is for healing. */
const faultyMs = ({ hours }: Scenario): number =>
  Math.max(0, hours * HOUR - Math.min(150 * MINUTE, (hours * HOUR) / 2));

const streamOf: Readonly<Record<DrawnKind, number>> = {
  stall: 1,
  hiccup: 2,
  suspend: 3,
  sleep: 4,
  restart: 5,
  switch: 6,
  power: 7,
  noise: 8,
  clocks: 9,
  blackout: 10,
  tickets: 11,
};

function faultOf(kind: Exclude<DrawnKind, 'hiccup'>, at: number, dice: Random, haste: number): Fault {
  switch (kind) {
    case 'stall':
      return { kind: 'away', at, forMs: dice.between(2.5 * SECOND, 90 * SECOND), isReload: false };
    case 'restart':
      return { kind: 'away', at, forMs: dice.between(300, 45 * SECOND), isReload: true };
    case 'suspend':
      return { kind: 'away', at, forMs: dice.between(1, 3) * (HOUR / Math.sqrt(haste)), isReload: false };
    case 'sleep':
      return { kind: 'sleep', at, forMs: dice.between(0.3, 4) * (HOUR / Math.sqrt(haste)) };
    case 'switch':
      return {
        kind: 'partition',
        at,
        forMs: dice.between(2 * MINUTE, 40 * MINUTE),
        draw: dice.unit(),
        partition: dice.pick(PARTITIONS),
      };
    case 'power':
      return { kind: 'power', at, draw: dice.unit() };
    case 'blackout':
      // Without a cut it is the power.
      return {
        kind: 'blackout',
        at,
        forMs: dice.between(2 * MINUTE, 30 * MINUTE),
        partition: dice.chance(0.5) ? dice.pick(PARTITIONS) : 'none',
      };
    case 'clocks':
      return { kind: 'clocks', at, wallMs: stepOf(dice), hostMs: stepOf(dice), draw: dice.unit() };
    case 'noise':
    case 'tickets':
      return { kind, at, draw: dice.unit() };
  }
}

/** From a second to three hours, forwards or back: an answer of NTP, a summer time, a person. */
function stepOf(dice: Random): number {
  const ms = SECOND * 10_800 ** dice.unit();
  return dice.chance(0.5) ? ms : -ms;
}

/** A tick every 10 s comes 1.1 s late, for three hours, or for a quarter of a short run. */
function hiccups(scenario: Scenario, dice: Random): Fault[] {
  const lengthMs = Math.min(3 * HOUR, (scenario.hours * HOUR) / 4);
  const from = DAY_START + dice.unit() * (faultyMs(scenario) - lengthMs);
  const faults: Fault[] = [];
  for (let at = from; at < from + lengthMs; at += 10 * SECOND) {
    faults.push({ kind: 'away', at, forMs: 1.1 * SECOND, isReload: false });
  }
  return faults;
}
