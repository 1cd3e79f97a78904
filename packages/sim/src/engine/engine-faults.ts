import { PARTITIONS, type Partition } from '../agents/partition.ts';
import type { Random } from '../base/random.ts';
import { STORE_FAULTS, type StoreFault } from './faulty-store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * `crash` kills a server at an await; `suspend` stops one for seconds to an hour; `rival` lets a second server
 * work on the same store for a while; `store` makes the store misbehave; `snapshot` lets the store come back
 * as it was some time ago; `partition` takes the network away from a group, in one direction or both, `power` its
 * processes.
 */
export type EngineFault = { readonly at: number } & (
  | {
      readonly kind: 'crash';
      readonly awaits: number;
      /** The moment to wait for; null takes the nth await, whatever it is. */
      readonly moment: string | null;
      readonly downMs: number;
    }
  | { readonly kind: 'suspend'; readonly forMs: number }
  | { readonly kind: 'rival'; readonly forMs: number }
  | { readonly kind: 'store'; readonly fault: StoreFault; readonly forMs: number }
  | { readonly kind: 'snapshot'; readonly ageMs: number; readonly forMs: number }
  | {
      readonly kind: 'partition';
      readonly group: number;
      readonly partition: Partition;
      readonly forMs: number;
    }
  | { readonly kind: 'power'; readonly group: number }
);

export type EngineFaultKind = EngineFault['kind'];

/** Mean time between two of a kind: an hour holds more of each than an ordinary year. */
const EVERY: Readonly<Record<EngineFaultKind, number>> = {
  crash: 8 * MINUTE,
  suspend: 35 * MINUTE,
  rival: 25 * MINUTE,
  store: 15 * MINUTE,
  snapshot: 150 * MINUTE,
  partition: 60 * MINUTE,
  power: 120 * MINUTE,
};

const OPERATIONS = [
  ...['load', 'commit', 'flushSoft', 'loadFleet', 'claimDue', 'groupSize', 'claimEffects', 'settleEffect'],
  ...['retryEffect', 'readEvents', 'lastCursor', 'listCheckpoints', 'getMeta', 'swapMeta'],
  ...['loadMany', 'readEffectChanges', 'lastEffectChange', 'listEffects'],
  ...['nudge', 'inquire', 'remind', 'notify', 'deny-call', 'request-handoff', 'terminate', 'spawn'].map(
    (kind) => `act ${kind}`,
  ),
];

/** Where a server can be killed: before and after whatever leaves its process. */
export const MOMENTS: readonly string[] = OPERATIONS.flatMap((where) => [
  `before ${where}`,
  `after ${where}`,
]);

/** Where most crashes are aimed: the moments that come some times on a day, the rarest of all most of all. */
const RARE_MOMENTS = MOMENTS.flatMap((moment) => {
  if (moment.endsWith('retryEffect')) return [moment, moment, moment, moment];
  return /act |listCheckpoints/.test(moment) ? [moment] : [];
});

export const ENGINE_FAULTS = Object.keys(EVERY) as readonly EngineFaultKind[];

export function drawEngineFaults(
  kinds: readonly EngineFaultKind[],
  span: { readonly from: number; readonly to: number },
  groups: number,
  random: (stream: number) => Random,
): readonly EngineFault[] {
  const faults: EngineFault[] = [];
  for (const kind of kinds) {
    // One stream per kind: taking a kind away leaves the others as they were.
    const dice = random(ENGINE_FAULTS.indexOf(kind));
    for (
      let at = span.from + dice.exponential(EVERY[kind]);
      at < span.to;
      at += dice.exponential(EVERY[kind])
    )
      faults.push(faultOf(kind, at, groups, dice));
  }
  return faults.sort((left, right) => left.at - right.at);
}

function faultOf(kind: EngineFaultKind, at: number, groups: number, dice: Random): EngineFault {
  switch (kind) {
    case 'crash':
      return {
        kind,
        at,
        awaits: 1 + dice.below(40),
        moment: momentOf(dice),
        downMs: dice.between(300, 60 * SECOND),
      };
    case 'suspend': {
      // Mostly a busy machine; now and then a closed lid.
      const isLong = dice.chance(0.2);
      return { kind, at, forMs: isLong ? dice.between(10, 60) * MINUTE : dice.between(1, 90) * SECOND };
    }
    case 'rival':
      return { kind, at, forMs: dice.between(1, 12) * MINUTE };
    case 'store':
      return { kind, at, fault: dice.pick(STORE_FAULTS), forMs: dice.between(2, 120) * SECOND };
    case 'snapshot':
      return { kind, at, ageMs: dice.between(1, 30) * MINUTE, forMs: dice.between(10, 300) * SECOND };
    case 'partition':
      return {
        kind,
        at,
        group: dice.below(groups),
        partition: dice.pick(PARTITIONS),
        forMs: dice.between(1, 25) * MINUTE,
      };
    case 'power':
      return { kind, at, group: dice.below(groups) };
  }
}

/** Most awaits are those of a quiet second: most crashes wait for another one. */
function momentOf(dice: Random): string | null {
  if (dice.chance(0.5)) return dice.pick(RARE_MOMENTS);
  return dice.chance(0.6) ? dice.pick(MOMENTS) : null;
}
