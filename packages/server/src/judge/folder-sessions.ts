import { basename, resolve } from 'node:path';
import { type Agent, type Evidence, instant, isAgentId, type Registration } from '@holter/core';
import type { FolderLook, StepFolder } from '../adapters/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { faultSignal } from '../files/index.ts';
import { HOLTER, type Intake } from '../intake/index.ts';
import { folderAdapter, openFolder, type StartOf } from './by-hand.ts';

type FolderContext = {
  readonly engine: Pick<Engine, 'read'>;
  readonly intake: Pick<Intake, 'register' | 'take'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly wallNow: () => number;
  readonly startOf?: StartOf;
  readonly warn: (message: string) => void;
};

type FolderSession = { readonly agent: Agent; readonly evidence: Evidence };

/**
 * The sessions at work in the operator's folders, each as an agent that is named after its folder: Holter can only
 * look at it. A new session is a new start of the agent.
 */
export class FolderSessions {
  private readonly context: FolderContext;
  private readonly folders = new Map<string, StepFolder>();
  private readonly warned = new Set<string>();
  /** What was last reported about the files of an agent, and of which start. */
  private readonly faults = new Map<string, string>();

  constructor(context: FolderContext) {
    this.context = context;
  }

  async look(paths: readonly string[], base: string): Promise<readonly FolderSession[]> {
    const wanted = paths.map((path) => resolve(base, path));
    for (const known of this.folders.keys()) if (!wanted.includes(known)) this.folders.delete(known);
    const sessions: FolderSession[] = [];
    const named = new Map<string, string>();
    for (const path of new Set(wanted)) {
      const name = basename(path);
      const other = named.get(name);
      // Each would end the session of the other at every look.
      if (other !== undefined) {
        this.warnOnce(
          path,
          `${path} is not judged: ${other} has the same name, and each folder is one agent`,
        );
        continue;
      }
      named.set(name, path);
      const session = await this.lookInto(path);
      if (session) sessions.push(session);
    }
    return sessions;
  }

  private async lookInto(path: string): Promise<FolderSession | null> {
    const agentId = basename(path);
    if (!isAgentId(agentId)) {
      this.warnOnce(path, `${path} is not judged: its name can't be that of an agent`);
      return null;
    }
    const folder = this.folders.get(path) ?? openFolder(path, this.context);
    if (!folder) return null;
    this.folders.set(path, folder);
    const look = await folder.look();
    const agent = await this.agentOf(agentId, look);
    if (agent) await this.reportFaults(agent, look.faults);
    return agent && look.session ? { agent, evidence: this.byOwnClock(look.session.evidence) } : null;
  }

  /**
   * The agent's start is the session that is at work; the one before has ended. A session that is not found although
   * something is in the place of its files has not: an agent could put it there.
   */
  private async agentOf(agentId: string, { session: found, faults }: FolderLook): Promise<Agent | null> {
    const { engine, intake } = this.context;
    const known = await engine.read(agentId);
    if (!found && faults.length > 0) return known && isOwn(known) && !known.hard.end ? known : null;
    const status = found?.evidence.status ?? 'gone';
    if (!found?.evidence.isAtWork) {
      if (known && isOwn(known)) await this.stop(known, `its session is ${status}`);
      return null;
    }
    const registration = registrationOf(agentId, found.evidence.sessionId);
    for (const isLast of [false, true]) {
      const answer = await intake.register(registration, HOLTER);
      if (answer.kind === 'enrolled' && answer.enrollment.kind === 'enrolled') return answer.agent;
      if (isLast || !known || !isOwn(known)) break;
      await this.stop(known, 'another session has begun');
    }
    this.warnOnce(agentId, `${agentId} is not judged from its folder: another agent has this name`);
    return null;
  }

  private async stop({ hard }: Agent, reason: string): Promise<void> {
    if (hard.end) return;
    const { agentId, incarnation } = hard;
    await this.context.intake.take({ kind: 'stopped', agentId, incarnation, reason }, HOLTER);
  }

  private async reportFaults({ hard }: Agent, faults: readonly string[]): Promise<void> {
    const { agentId, incarnation } = hard;
    const now = faults.length === 0 ? '' : `${incarnation}: ${faults.join('; ')}`;
    if ((this.faults.get(agentId) ?? '') === now) return;
    this.faults.set(agentId, now);
    const signal = faultSignal(faults, this.context.clock.now());
    await this.context.intake.take({ ...signal, agentId, incarnation }, HOLTER);
  }

  /** Times of files are by the clock on the wall. */
  private byOwnClock(evidence: Evidence): Evidence {
    const { clock, wallNow } = this.context;
    const { lastStepAt } = evidence;
    if (lastStepAt === null) return evidence;
    return { ...evidence, lastStepAt: instant(clock.now() - Math.max(0, wallNow() - lastStepAt)) };
  }

  private warnOnce(about: string, message: string): void {
    if (this.warned.has(about)) return;
    this.warned.add(about);
    this.context.warn(message);
  }
}

const registrationOf = (agentId: string, sessionId: string): Registration => ({
  agentId,
  instanceId: sessionId,
  role: folderAdapter?.name ?? 'default',
  group: 'default',
  mode: 'observe',
  promises: {},
  can: [],
  executor: null,
});

/** Registered from its folder, and by nobody else. */
const isOwn = ({ hard }: Agent): boolean =>
  hard.role === folderAdapter?.name && hard.executor === null && hard.can.length === 0 && !hard.reporter;
