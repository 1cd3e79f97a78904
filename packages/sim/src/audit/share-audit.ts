import type { Effect, Transition } from '@holter/core';
import { contract } from './contract.ts';
import type { Report } from './violation.ts';

const MINUTE_MS = 60_000;

type Kind = keyof typeof contract.shares;
type Asker = { readonly agentId: string; readonly group: string; readonly hasKept: boolean };

const kindOf = (effect: Effect): Kind | null => {
  if (effect.kind === 'nudge') return 'nudge';
  if (effect.kind === 'spawn') return 'start';
  return effect.kind === 'notify' && effect.incidentId !== null ? 'notice' : null;
};

/** Invariant 12: whatever others do, an agent that keeps its promises gets what its group's own share has left. */
export class ShareAudit {
  private readonly report: Report;
  /** By group and kind: when something was granted, newest last. */
  private readonly grants = new Map<string, number[]>();

  constructor(report: Report) {
    this.report = report;
  }

  folded({ agentId, group, hasKept }: Asker, at: number, { effects, deferrals = [] }: Transition): void {
    for (const effect of effects) {
      const kind = kindOf(effect);
      if (kind !== null) this.of(group, kind, at).push(at);
    }
    for (const { kind, because } of deferrals) {
      if (because !== 'budget' || !hasKept || !(kind in contract.shares)) continue;
      const granted = this.of(group, kind as Kind, at).length;
      if (granted < contract.shares[kind as Kind])
        this.report(12, agentId, at, `its ${kind} waits, and ${group} had only ${granted} in a minute`);
    }
  }

  private of(group: string, kind: Kind, at: number): number[] {
    const key = `${group} ${kind}`;
    const recent = (this.grants.get(key) ?? []).filter((grantedAt) => grantedAt > at - MINUTE_MS);
    this.grants.set(key, recent);
    return recent;
  }
}
