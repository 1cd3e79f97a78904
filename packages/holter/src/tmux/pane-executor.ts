import { join } from 'node:path';
import type { Effect } from '@holter/core';
import type { Recipe } from '@holter/server/adapters';
import { receiptOfStop, stopTree, takeSpawnKey } from '@holter/server/process';
import { NoAnswer } from '../background/http-call.ts';
import type { AgentRecord } from '../run/agent-record.ts';
import type { Outcome } from '../run/effect-loop.ts';
import { nullIfGone, quoted, TmuxSilent } from './control-client.ts';
import { childrenOf, type FoundAgent, findAgent } from './find-agent.ts';
import type { PaneAgent } from './pane-agent.ts';
import type { PaneRow } from './pane-row.ts';
import { type Tried, typeAtPrompt } from './prompt.ts';

/** A nudge that could not be delivered for so long is refused, with the reason; the incident goes on without it. */
const NUDGE_WAIT_MS = 120_000;
const NUDGE_AGAIN_MS = 2_000;
/** How often it is looked at meanwhile whether a person has stopped Holter's acts. */
const STOPPED_LOOK_MS = 500;
const STOPPED_ANSWER_MS = 1_000;
const HISTORY_LINES = 300;
const STARTED_WITHIN_MS = 10_000;
const STARTED_LOOK_MS = 200;

/** Carries out the effects that the server orders for the agent of one pane, one at a time. */
export class PaneExecutor {
  private readonly agent: PaneAgent;
  private readonly record: AgentRecord;
  private busy: Promise<unknown> = Promise.resolve();

  constructor(agent: PaneAgent, record: AgentRecord) {
    this.agent = agent;
    this.record = record;
  }

  async carryOut(effect: Effect): Promise<Outcome> {
    if (effect.incarnation !== this.record.incarnation) return refused('it was meant for another start');
    switch (effect.kind) {
      case 'nudge':
      case 'inquire':
      case 'remind':
      case 'request-handoff':
        return this.nudge(effect, effect.message);
      case 'terminate':
        return this.alone(() => this.terminate(effect));
      case 'spawn':
        return this.alone(() => this.spawn(effect));
      case 'deny-call':
      case 'notify':
        return refused("the calls of an agent in a pane can't be denied");
    }
  }

  /** Two acts never mix their keys in one pane. */
  private alone<T>(act: () => Promise<T>): Promise<T> {
    const done = this.busy.then(act);
    this.busy = done.catch(() => undefined);
    return done;
  }

  private async nudge(effect: Effect, message: string): Promise<Outcome> {
    const { clock, say, folder } = this.agent.context;
    const giveUpAt = clock.now() + NUDGE_WAIT_MS;
    for (let told = ''; ; ) {
      const tried = await this.alone(() => this.tryNudge(effect, oneLine(message)));
      if (!('wait' in tried)) return tried;
      const { wait } = tried;
      if (wait !== told) say(`${this.agent.agentId}: a nudge waits: ${wait}`);
      told = wait;
      if (clock.now() >= giveUpAt) return refused(`not delivered within two minutes: ${wait}`);
      for (let paused = 0; paused < NUDGE_AGAIN_MS; paused += STOPPED_LOOK_MS) {
        await this.pause(STOPPED_LOOK_MS);
        if (isOwnNudge(effect) && folder.readEstop()) return refused(STOPPED);
      }
    }
  }

  /** The server may be on another machine, where the file is. */
  private async isStopped(): Promise<boolean> {
    const { folder, link } = this.agent.context;
    if (folder.readEstop()) return true;
    try {
      const { body } = await link.ask('GET', '/health', undefined, STOPPED_ANSWER_MS);
      const { troubles = [] } = body as { readonly troubles?: readonly { readonly kind: string }[] };
      return troubles.some(({ kind }) => kind === 'estop');
    } catch (error) {
      if (error instanceof NoAnswer) return false;
      throw error;
    }
  }

  private async tryNudge(effect: Effect, text: string): Promise<Tried> {
    const { agent } = this;
    if (!agent.isRunning || effect.incarnation !== this.record.incarnation) return refused('it has ended');
    const incidentId = effect.step?.incidentId;
    if (incidentId !== undefined && (await this.record.look())?.incident?.incidentId !== incidentId)
      return refused('its incident is over');
    if (isOwnNudge(effect) && (await this.isStopped())) return refused(STOPPED);
    const { pane, found, context } = agent;
    const { sessions, clock, table, watcher } = context;
    const typist = { self: watcher, table };
    return typeAtPrompt({ pane, found, sessions, clock, typist }, text, agent.isHung);
  }

  private async terminate(effect: Extract<Effect, { kind: 'terminate' }>): Promise<Outcome> {
    const { agent } = this;
    if (!agent.isRunning) return { outcome: 'done', detail: 'nothing was running' };
    const { table, clock, say } = agent.context;
    say(`${agent.agentId} is being stopped: ${effect.reason}`);
    agent.isInHand = true;
    try {
      await this.keepPane();
      const { tree } = agent;
      const from = this.recipe(null)?.stopFrom ?? 'SIGINT';
      const stopped = await stopTree({ table, tree, clock, cleanupMs: effect.cleanupMs, from });
      if (stopped.kind === 'gone')
        agent.hasEnded({ kind: 'exited', code: null, ...(stopped.by && { signal: stopped.by }) });
      return receiptOfStop(stopped);
    } finally {
      agent.isInHand = false;
    }
  }

  /** What the pane shows goes to the server, and the pane stays when its command ends. */
  private async keepPane(): Promise<void> {
    const { pane, agentId, context } = this.agent;
    try {
      const text = await pane.history(HISTORY_LINES);
      await pane.stay();
      await context.link.ask('POST', `/v1/agents/${encodeURIComponent(agentId)}/output`, { text });
    } catch {
      // A pane that has gone, or a server that does not answer, must not keep an agent from being stopped.
    }
  }

  private async spawn(effect: Extract<Effect, { kind: 'spawn' }>): Promise<Outcome> {
    const { agent } = this;
    const { folder, clock, sha256, table } = agent.context;
    if (agent.isRunning) return refused('it is running');
    if (effect.key === undefined) return refused('the order has no key');
    const seen = await this.seePane();
    if (seen instanceof TmuxSilent) return refused(seen.message);
    if (!seen) return refused('its pane has closed');
    const obstacle = seen.dead ? null : this.whyOccupied(seen.pid);
    if (obstacle !== null) return refused(obstacle);
    const keys = join(folder.path, 'spawns');
    if (!takeSpawnKey(keys, sha256(effect.key).slice(0, 40), clock.now(), agent.executorId))
      return refused('somebody else has taken this start');
    agent.isInHand = true;
    try {
      const { tree } = agent;
      const left = await stopTree({ table, tree, clock, cleanupMs: 10_000, from: 'SIGTERM' });
      if (left.kind !== 'gone') return refused(`${left.left.length} processes of its predecessor do not end`);
      return await this.respawn(effect);
    } finally {
      agent.isInHand = false;
    }
  }

  /** A pane whose agent has gone may be replaced if nothing but the shell is left in it. */
  private whyOccupied(rootPid: number): string | null {
    const { table } = this.agent.context;
    const children = childrenOf(table.rows()).get(rootPid) ?? [];
    const isShell = /(?:^|\/)-?(?:ba|da|z|k|fi)?sh$/.test(table.argv(rootPid)?.[0] ?? '');
    return isShell && children.length === 0 ? null : 'its pane is used for something else';
  }

  private async respawn(effect: Extract<Effect, { kind: 'spawn' }>): Promise<Outcome> {
    const { agent, record } = this;
    const { link, newId, say } = agent.context;
    const { found, pane } = agent;
    const [workingDirectory = '/'] = await pane.tell('display-message -p', quoted('#{pane_current_path}'));
    const incident = (await record.look())?.incident;
    const facts = {
      attempt: effect.attempt,
      cause: incident?.cause ?? null,
      orderReason: incident?.orderReason ?? null,
    };
    const own = await this.recipe(agent.sessionId, workingDirectory)?.startAgain?.(link.url, facts);
    const [program = '', ...args] = own ?? [found.program, ...found.args];
    const runId = newId();
    await record.register(effect.key, runId);
    const env = {
      ...passedOn(found.env),
      HOLTER_URL: link.url,
      HOLTER_TOKEN: record.token,
      HOLTER_AGENT_ID: agent.agentId,
      HOLTER_INCARNATION: String(record.incarnation),
      HOLTER_RUN_ID: runId,
      HOLTER_ATTEMPT: String(effect.attempt),
    };
    const variables = Object.entries(env).map(([name, value]) => `-e ${quoted(`${name}=${value}`)}`);
    // A command of several words is executed as it is; a single one would go through a shell.
    const words = ['env', ...found.before, program, ...args].map(quoted).join(' ');
    await pane.stay();
    await pane.tell(`respawn-pane -k ${variables.join(' ')} -c ${quoted(workingDirectory)}`, words);
    const started = await this.started(env);
    if (!started) {
      agent.hasEnded({ kind: 'exited', code: null });
      return { outcome: 'done', detail: 'started in its pane, and ended at once' };
    }
    agent.follow(started);
    await agent.present();
    say(`${agent.agentId} was started again in its pane (attempt ${effect.attempt})`);
    return { outcome: 'done', detail: 'started again in its pane' };
  }

  /** The process of the successor; null if it does not show up. */
  private async started(env: FoundAgent['env']): Promise<FoundAgent | null> {
    const { context, found } = this.agent;
    const { clock, table } = context;
    for (const deadline = clock.now() + STARTED_WITHIN_MS; clock.now() < deadline; ) {
      const seen = await this.seePane();
      if (!seen || (!(seen instanceof TmuxSilent) && seen.dead)) return null;
      const agent = seen instanceof TmuxSilent ? null : findAgent(table, seen.pid, childrenOf(table.rows()));
      // The first command line is kept: the next restart is made from it again.
      if (agent) return { ...found, env, process: agent.process };
      await this.pause(STARTED_LOOK_MS);
    }
    return null;
  }

  /** Null if it has gone; what tmux does not tell is not known. */
  private async seePane(): Promise<PaneRow | null | TmuxSilent> {
    try {
      return await this.agent.pane.look().catch(nullIfGone);
    } catch (error) {
      if (error instanceof TmuxSilent) return error;
      throw error;
    }
  }

  private recipe(sessionId: string | null, workingDirectory = '/'): Recipe | null {
    const { found, context } = this.agent;
    const { adapter, program, args, env } = found;
    const { newId, clock } = context;
    const given = { program, args, env, workingDirectory, newId, now: () => clock.now() };
    return adapter.recipe?.({ ...given, ...(sessionId !== null && { sessionId }) }) ?? null;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.agent.context.clock.after(ms, resolve));
  }
}

const STOPPED = 'a person has stopped acts';

/** A handoff is asked for only where a person has ordered one. */
const isOwnNudge = (effect: Effect): boolean =>
  effect.kind !== 'request-handoff' && !(effect.kind === 'nudge' && effect.order === 'person');

const refused = (detail: string): Outcome => ({ outcome: 'refused', detail });

/** tmux sets its own variables; a value of several lines can't be passed on in a command of one line. */
function passedOn(env: FoundAgent['env']): Record<string, string> {
  const isPassed = ([name, value]: [string, string]): boolean =>
    !/^(?:TMUX|TERM)/.test(name) && !/\p{Cc}/u.test(value);
  return Object.fromEntries(Object.entries(env).filter(isPassed));
}

/** Nothing in it may end the paste or act as a key. */
const oneLine = (message: string): string => message.replace(/\p{C}+|\s+/gu, ' ').trim();
