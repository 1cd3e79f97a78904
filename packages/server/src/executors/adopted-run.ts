import { type Effect, executorInWords, later, type Signal, type SignalBody } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import { type ActResult, AGENT_EFFECTS, type Executor } from '../engine/executor.ts';
import { ownerOf } from '../files/index.ts';
import { type ProcessTable, ProcessTree, receiptOfStop, stopTree, TreeSensor } from '../processes/index.ts';
import { NudgeFile } from './nudge-file.ts';
import { OFFER_AGAIN_MS } from './remote-executor.ts';
import type { RunRecord } from './run-record.ts';

type AdoptedContext = {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly signal: (signal: Signal) => Promise<unknown>;
  /** The child has read this nudge. */
  readonly seen: (effectId: string) => Promise<unknown>;
  readonly ended: () => void;
};

const LOOK_EVERY_MS = 5_000;

/**
 * A child whose `holter run` is gone and which the server now manages itself: it watches the process, writes
 * to the nudge file and can stop the process tree. It can't restart the child, because the terminal and the
 * environment belonged to the run. So it stops the child only on a person's order.
 */
export class AdoptedRun implements Executor {
  readonly name = 'adopted run';
  readonly id: string;
  readonly kinds = AGENT_EFFECTS;
  readonly isNoStarter = true;
  private readonly record: RunRecord;
  private readonly context: AdoptedContext;
  private readonly tree: ProcessTree | null;
  private readonly sensor: TreeSensor | null;
  private readonly nudges: NudgeFile | null;
  private stopLooking: () => void = () => undefined;

  constructor(record: RunRecord, context: AdoptedContext) {
    this.id = record.executorId;
    this.record = record;
    this.context = context;
    const { table } = context;
    this.tree = record.child ? new ProcessTree(table, record.child, record.runId) : null;
    this.sensor = this.tree ? new TreeSensor(table, this.tree) : null;
    const { nudgeFile, child } = record;
    const isOwner = ownerOf(() => (child ? table.userOf(child.pid) : null));
    this.nudges = nudgeFile === null ? null : new NudgeFile(nudgeFile, { isOwner });
  }

  /** Resolves after the first check of the process. */
  async watch(): Promise<void> {
    const look = this.sensor?.look();
    if (!look || look.state === 'gone') return this.tellEnd();
    await this.tell(look);
    this.stopLooking = this.context.clock.after(LOOK_EVERY_MS, () => void this.watch().catch(ignoreOutage));
    for (const id of (await this.nudges?.takeSeen()) ?? []) await this.context.seen(id);
  }

  close(): void {
    this.stopLooking();
  }

  async act(effect: Effect): Promise<ActResult> {
    switch (effect.kind) {
      case 'nudge':
      case 'inquire':
      case 'remind':
      case 'request-handoff':
        return this.leave(effect);
      case 'terminate':
        return this.terminate(effect);
      case 'spawn':
        return receipt(
          'refused',
          `the ${executorInWords(this.record.executorId)} that held its terminal is gone; start it there again`,
        );
      case 'deny-call':
      case 'notify':
        return receipt('refused', 'a command has no calls that could be denied');
    }
  }

  /** A nudge is delivered when the child has read it. */
  private async leave({ id, kind, message }: Effect & { readonly message: string }): Promise<ActResult> {
    if (!this.nudges) return receipt('refused', 'it has no file for nudges');
    const isNudge = kind === 'nudge';
    const answer = await this.nudges.write(id, isNudge ? 'nudge' : 'request', message);
    if (answer.kind === 'ok' && isNudge) {
      const againAt = later(this.context.clock.now(), OFFER_AGAIN_MS);
      return { kind: 'offered', againAt, detail: this.nudges.waits };
    }
    if (answer.kind === 'ok') return receipt('delivered', 'written into its nudge file');
    const why = answer.kind === 'missing' ? 'has lost its folder' : answer.because;
    return receipt('refused', `its nudge file ${why}`);
  }

  private async terminate({ order, cleanupMs }: Extract<Effect, { kind: 'terminate' }>): Promise<ActResult> {
    const { table, clock } = this.context;
    if (!this.tree) return receipt('done', 'nothing was running');
    // An agent that can't be restarted is not stopped on evidence alone. Its record does not know this yet.
    if (order === null)
      return receipt(
        'refused',
        `its ${executorInWords(this.record.executorId)} is gone, so nothing can restart it; it waits for a person`,
      );
    this.close();
    const stopped = await stopTree({ table, tree: this.tree, clock, cleanupMs });
    if (stopped.kind === 'gone') {
      // Reports the exit as observed: the receipt of a stop is not proof that the process has ended.
      await this.tell({ kind: 'exited', code: null, ...(stopped.by && { signal: stopped.by }) });
      this.context.ended();
    } else await this.watch();
    return { kind: 'receipt', ...receiptOfStop(stopped) };
  }

  /** No parent waited for the process, so its exit code is unknown; that alone does not make it a crash. */
  private async tellEnd(): Promise<void> {
    await this.tell({
      kind: 'stopped',
      reason: `ended after its ${executorInWords(this.record.executorId)} was lost; nobody saw its exit code`,
    });
    this.context.ended();
  }

  private async tell(body: SignalBody): Promise<void> {
    const { agentId, incarnation } = this.record;
    await this.context.signal({ agentId, incarnation, ...body });
  }
}

const receipt = (outcome: 'delivered' | 'done' | 'refused', detail: string): ActResult => ({
  kind: 'receipt',
  outcome,
  detail,
});

/** An observation that can't be stored is dropped: the next one follows soon. */
const ignoreOutage = (): void => undefined;
