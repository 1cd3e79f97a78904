import type { Orders } from './orders.ts';
import type { TruthLog } from './truth-log.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;
/** Beats of five minutes apart, three of them, and some grace: by then everybody's loss has been counted. */
const ALERTED_WITHIN_MS = 25 * MINUTE_MS;

/** The shortest interval in which losses are "at the same time". */
const TOGETHER_MS = MINUTE_MS;

/** `isOurs`: it was being stopped on purpose when it was lost. */
type Loss = { readonly agentId: string; readonly at: number; isOurs: boolean };
type Group = { brakedAt: number | null; alerts: number[]; losses: Loss[] };
type Stroke = { readonly group: string; readonly at: number; readonly lost: number; readonly size: number };

/** Invariant 7: a crowd that is lost together is one alert, and nobody of it is terminated meanwhile. */
export class BrakeAudit {
  private readonly report: Report;
  private readonly groups = new Map<string, Group>();
  private readonly truth: TruthLog;
  private readonly groupOf: (agentId: string) => string | undefined;
  private readonly orders: Orders;
  private pending: Stroke[] = [];

  constructor(
    report: Report,
    truth: TruthLog,
    orders: Orders,
    groupOf: (agentId: string) => string | undefined,
  ) {
    this.report = report;
    this.truth = truth;
    this.orders = orders;
    this.groupOf = groupOf;
  }

  read({ event, at }: LogEntry): void {
    if (event.type === 'MASS_FAILURE') {
      const group = this.find(event.payload.group);
      if (group.brakedAt !== null)
        this.report(7, event.payload.group, at, 'a second alert for one mass failure');
      group.brakedAt = at;
      group.alerts.push(at);
    }
    if (event.type === 'LIVENESS_CHANGED' && event.payload.to !== 'alive') {
      const { agentId } = event.payload;
      this.find(this.groupOf(agentId) ?? '').losses.push({ agentId, at, isOurs: false });
    }
    if (event.type === 'AGENT_TERMINATED') {
      const { agentId } = event.payload;
      const { losses } = this.find(this.groupOf(agentId) ?? '');
      const own = losses.find((loss) => loss.agentId === agentId && loss.at === at);
      if (own) own.isOurs = true;
    }
    if (event.type === 'MASS_FAILURE_OVER') this.find(event.payload.group).brakedAt = null;
  }

  begun({ kind, agentId, from }: Execution): void {
    if (kind !== 'terminate' || this.orders.has(agentId)) return;
    const group = this.groupOf(agentId);
    const brakedAt = group === undefined ? null : this.find(group).brakedAt;
    // What was under way when the brake came down may end.
    if (brakedAt !== null && from - brakedAt > MINUTE_MS)
      this.report(7, agentId, from, `terminated while ${group} is braked`);
  }

  /** The world lost so many of a group at one stroke. */
  struck(group: string, lost: number, size: number, at: number): void {
    if (isCrowd(lost, size)) this.pending.push({ group, at, lost, size });
  }

  look(at: number): void {
    this.pending = this.pending.filter((stroke) => {
      const { group, at: since } = stroke;
      if (this.find(group).alerts.some((alert) => alert >= since)) return false;
      if (this.truth.watchedMs(group, since, at) < ALERTED_WITHIN_MS) return true;
      if (isCrowd(this.missed(stroke), stroke.size) && !this.wereSeenApart(stroke))
        this.report(7, group, at, 'many were lost at once, and no alert went out');
      return false;
    });
  }

  /** How many were lost to the stroke, without those that were being stopped anyway when it fell. */
  private missed({ group, at, lost }: Stroke): number {
    const since = this.find(group).losses.filter((loss) => loss.at >= at);
    const isFirst = (loss: Loss): boolean => since.find(({ agentId }) => agentId === loss.agentId) === loss;
    return lost - since.filter((loss) => loss.isOurs && isFirst(loss)).length;
  }

  /** Some are seen to end, and of others, whose host is cut off as well, it shows minutes later: that is no crowd. */
  private wereSeenApart(stroke: Stroke): boolean {
    const { group, at, size } = stroke;
    const losses = this.find(group).losses.filter((loss) => loss.at >= at && !loss.isOurs);
    if (agentsOf(losses) < this.missed(stroke)) return false;
    return !losses.some((first) =>
      isCrowd(
        agentsOf(losses.filter((loss) => loss.at >= first.at && loss.at < first.at + TOGETHER_MS)),
        size,
      ),
    );
  }

  private find(name: string): Group {
    const known = this.groups.get(name);
    if (known) return known;
    const fresh: Group = { brakedAt: null, alerts: [], losses: [] };
    this.groups.set(name, fresh);
    return fresh;
  }
}

const isCrowd = (lost: number, size: number): boolean => lost > 3 && lost > size * 0.25;

const agentsOf = (losses: readonly Loss[]): number => new Set(losses.map(({ agentId }) => agentId)).size;
