import { join } from 'node:path';
import type { Effect } from '@holter/core';
import { restartReason } from '@holter/server/adapters';
import { type NudgeFile, receiptOfStop, stopTree, takeSpawnKey } from '@holter/server/process';
import type { AgentRecord } from './agent-record.ts';
import type { CheckpointKeeper } from './checkpoint-keeper.ts';
import type { Outcome } from './effect-loop.ts';
import type { RunContext } from './run-context.ts';
import type { RunState, StartOrder } from './run-state.ts';
import { fillIn } from './words-of.ts';

type RunExecutorParts = {
  readonly context: RunContext;
  readonly state: RunState;
  readonly agent: AgentRecord;
  readonly nudges: NudgeFile;
  readonly keeper: CheckpointKeeper;
  readonly executorId: string;
  readonly start: (argv: readonly string[], order: StartOrder) => Promise<void>;
  readonly keepCheckpoint: () => Promise<void>;
  /** The watcher pauses while the process tree is being stopped. */
  readonly pauseWatching: () => void;
  /** Reports that the end was observed; a receipt alone is no evidence. */
  readonly tellGone: (by: string | null) => void;
  /** The termination has finished: the agent has ended, or it survived and the run continues. */
  readonly terminated: () => void;
};

/** For processes that a dead agent left behind; they get no time to save their work. */
const LEFTOVERS_MS = 10_000;

/** Carries out the effects that the server orders. Only here does a run stop or restart processes. */
export class RunExecutor {
  private readonly parts: RunExecutorParts;

  constructor(parts: RunExecutorParts) {
    this.parts = parts;
  }

  async carryOut(effect: Effect): Promise<Outcome> {
    if (effect.incarnation !== this.parts.agent.incarnation)
      return { outcome: 'refused', detail: 'it was meant for another start' };
    switch (effect.kind) {
      case 'nudge':
      case 'inquire':
      case 'remind':
      case 'request-handoff':
        return this.leave(effect);
      case 'terminate':
        return this.terminate(effect);
      case 'spawn':
        return this.spawn(effect);
      case 'deny-call':
      case 'notify':
        return { outcome: 'refused', detail: 'a command has no calls that could be denied' };
    }
  }

  /** A nudge is delivered when the command has read it. */
  private async leave({ id, kind, message }: Effect & { readonly message: string }): Promise<Outcome> {
    const { nudges } = this.parts;
    const isNudge = kind === 'nudge';
    const answer = await nudges.write(id, isNudge ? 'nudge' : 'request', message);
    if (answer.kind === 'ok' && isNudge) return { outcome: 'offered', detail: nudges.waits };
    if (answer.kind === 'ok') return { outcome: 'delivered', detail: 'written into its nudge file' };
    const why = answer.kind === 'missing' ? 'has lost its folder' : answer.because;
    return { outcome: 'refused', detail: `its nudge file ${why}` };
  }

  private async terminate(effect: Extract<Effect, { kind: 'terminate' }>): Promise<Outcome> {
    const { context, state, nudges, keepCheckpoint, pauseWatching, tellGone, terminated } = this.parts;
    const { child } = state;
    if (!child) return { outcome: 'done', detail: 'nothing was running' };
    const { table, clock, say, plan } = context;
    state.isTerminating = true;
    pauseWatching();
    say(`${plan.agentId} is being stopped: ${effect.reason}`);
    // Not waited for: nothing that the command does to the file may delay its end.
    void nudges.write(
      `${effect.id}/save`,
      'note',
      'Holter: this process is about to be stopped. What is saved now is kept.',
    );
    const stopped = await stopTree({
      table,
      tree: child.tree,
      clock,
      cleanupMs: effect.cleanupMs,
      from: plan.recipe?.stopFrom ?? 'SIGINT',
    });
    if (stopped.kind === 'gone') {
      await child.ended;
      await keepCheckpoint();
      state.lastHow = 'terminated';
      tellGone(stopped.by);
    }
    state.isTerminating = false;
    terminated();
    return receiptOfStop(stopped);
  }

  private async spawn(effect: Extract<Effect, { kind: 'spawn' }>): Promise<Outcome> {
    const { context, state, executorId } = this.parts;
    const { folder, clock, sha256 } = context;
    if (state.child?.isRunning || state.isStarting) return { outcome: 'refused', detail: 'it is running' };
    if (effect.key === undefined) return { outcome: 'refused', detail: 'the order has no key' };
    const keys = join(folder.path, 'spawns');
    if (!takeSpawnKey(keys, sha256(effect.key).slice(0, 40), clock.now(), executorId))
      return { outcome: 'refused', detail: 'somebody else has taken this start' };
    state.isStarting = true;
    try {
      const left = await this.endLeftovers();
      if (left > 0) return { outcome: 'refused', detail: `${left} processes of its predecessor do not end` };
      return await this.startSuccessor(effect);
    } finally {
      state.isStarting = false;
    }
  }

  /** Stops processes that a dead agent left behind, before its successor starts. Returns how many survived. */
  private async endLeftovers(): Promise<number> {
    const { context, state } = this.parts;
    if (!state.child || state.provenGone === state.child) return 0;
    const { table, clock } = context;
    const { tree } = state.child;
    const stopped = await stopTree({ table, tree, clock, cleanupMs: LEFTOVERS_MS, from: 'SIGTERM' });
    return stopped.kind === 'gone' ? 0 : stopped.left.length;
  }

  private async startSuccessor(effect: Extract<Effect, { kind: 'spawn' }>): Promise<Outcome> {
    const { context, state, agent, keeper, nudges, start } = this.parts;
    const { plan, say, link } = context;
    const { key, attempt, taskId } = effect;
    const incident = (await agent.look())?.incident;
    const facts = { attempt, cause: incident?.cause ?? null, orderReason: incident?.orderReason ?? null };
    const { checkpoint, skipped } = await keeper.restore(effect.checkpointId);
    if (effect.checkpointId !== null && !checkpoint) {
      const obstacle = this.whyNotFrom(effect.checkpointId, skipped);
      if (obstacle !== null) return { outcome: 'refused', detail: obstacle };
    }
    const reason = restartReason(facts);
    for (const why of skipped) say(`a checkpoint can't be used, an older one is tried (${why})`);
    await agent.register(key);
    state.recoveries += 1;
    const values = {
      agent: plan.agentId,
      task: taskId ?? '',
      checkpoint: checkpoint ? keeper.file : '',
      attempt: String(attempt),
      reason,
    };
    const { recipe, before, argv: first } = plan;
    const own = (await recipe?.startAgain?.(link.url, facts)) ?? recipe?.start(link.url);
    const again = own ? [...before, ...own] : first;
    const argv = plan.resumeWords ? fillIn(plan.resumeWords, values) : again;
    const checkpointId = checkpoint?.checkpointId ?? effect.checkpointId;
    await nudges.create(
      `Holter: this is start ${attempt + 1}, because the one before was interrupted: ${reason}`,
    );
    await start(argv, { attempt, checkpointId, reason });
    say(
      `${plan.agentId} was started again (attempt ${attempt}${checkpointId ? `, from ${checkpointId}` : ''})`,
    );
    return { outcome: 'done', detail: `started from ${checkpointId ?? 'the beginning'}` };
  }

  /** Without a checkpoint file, the agent itself loads its state from the server by the id that it gets. */
  private whyNotFrom(checkpointId: string, skipped: readonly string[]): string | null {
    const { context, keeper } = this.parts;
    if (context.plan.recipe?.startAgain)
      return "it goes on with its session, and can't start from a checkpoint";
    if (keeper.newest === null) return null;
    return skipped[0] ?? `${checkpointId}: its bytes are not kept here any more`;
  }
}
