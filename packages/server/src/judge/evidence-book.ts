import {
  type Agent,
  type Evidence,
  emptyEvidence,
  FINDING_KINDS,
  type Instant,
  instant,
  observeEvidence,
  observeVerdictOf,
  type Signal,
} from '@holter/core';
import type { Engine } from '../engine/engine.ts';

type BookContext = {
  readonly engine: Pick<Engine, 'onHeard'>;
  readonly now: () => Instant;
};

type Page = {
  readonly incarnation: number | undefined;
  readonly evidence: Evidence;
  readonly heardAt: Instant;
};

/** Agents whose words are kept; those that were not heard for the longest time are forgotten. */
const AGENTS_MAX = 5_000;

/**
 * The last verdicts, words and results of watched agents, as intake has cleaned them. Numbers come from the records,
 * so that a server that has just started knows them too.
 */
export class EvidenceBook {
  private readonly pages = new Map<string, Page>();
  private readonly context: BookContext;
  /** Agents that were heard since they were last taken. */
  private changed = new Set<string>();
  readonly close: () => void;

  constructor(context: BookContext) {
    this.context = context;
    this.close = context.engine.onHeard((signal) => this.hear(signal));
  }

  /** Whoever was heard since the last call. */
  takeChanged(): ReadonlySet<string> {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  /** This agent is looked at in the next round, although it was not heard. */
  expect(agentId: string): void {
    this.changed.add(agentId);
  }

  /** In the order in which they were last heard, the newest first. */
  get heard(): readonly { readonly agentId: string; readonly at: Instant }[] {
    return [...this.pages].map(([agentId, { heardAt }]) => ({ agentId, at: heardAt })).reverse();
  }

  of({ hard }: Agent): Evidence {
    const { agentId, incarnation, role, trail, task, holds, end } = hard;
    const page = this.pages.get(agentId);
    const known =
      page && (page.incarnation ?? incarnation) === incarnation ? page.evidence : empty(agentId, role);
    const { calls, verdicts } = trail ?? {};
    const found = [...hard.points, ...hard.derived];
    const lastStepAt = Math.max(calls?.lastCallAt ?? 0, verdicts?.lastAt ?? 0);
    return {
      ...known,
      graphId: role,
      nodeId: task?.id ?? role,
      status: end ? 'ended' : hard.work ? 'active' : 'idle',
      isAtWork: !end && hard.work !== undefined,
      totalSteps: calls?.callCount ?? 0,
      streak: verdicts?.streak ?? 0,
      hasVerdicts: verdicts !== undefined && verdicts.lastAt !== null,
      lastStepAt: lastStepAt === 0 ? null : instant(lastStepAt),
      waitingFor: holds[0]?.kind ?? null,
      loop: found.find(({ kind }) => FINDING_KINDS[kind].isRepeat)?.evidence ?? null,
      fruitless: found.find(({ kind }) => FINDING_KINDS[kind].isFruitless)?.evidence ?? null,
    };
  }

  private hear(signal: Signal): void {
    const { agentId, incarnation } = signal;
    const page = this.pages.get(agentId);
    const isNew = page === undefined || page.incarnation !== incarnation;
    const before = isNew ? empty(agentId, '') : page.evidence;
    const evidence = this.after(before, signal);
    // What it waited for has come, so its clock runs again.
    if (signal.kind === 'hold-ended' && page) this.changed.add(agentId);
    if (evidence === before) return;
    this.changed.add(agentId);
    this.pages.delete(agentId);
    this.pages.set(agentId, { incarnation, evidence, heardAt: this.context.now() });
    const [oldest] = this.pages.keys();
    if (this.pages.size > AGENTS_MAX && oldest !== undefined) this.pages.delete(oldest);
  }

  private after(evidence: Evidence, signal: Signal): Evidence {
    switch (signal.kind) {
      case 'call-ended':
        return observeEvidence(evidence, {
          verdict: 'CONTINUE',
          tool: signal.tool,
          text: signal.text ?? '',
          result: signal.output ?? '',
          isError: signal.isError,
          at: this.context.now(),
        });
      case 'said':
        return signal.role === 'assistant' && signal.text.trim() !== ''
          ? { ...evidence, said: signal.text.trim().slice(-SAID_MAX) }
          : evidence;
      case 'verdict':
        return observeVerdictOf(evidence, signal.verdict);
      default:
        return evidence;
    }
  }
}

const SAID_MAX = 500;

const empty = (agentId: string, graphId: string): Evidence =>
  emptyEvidence({ agentId, graphId, sessionId: agentId });
