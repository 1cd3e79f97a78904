import type { HolterEvent, Task } from '@holter/core';
import { contract, pulseOfRole, TOLERANCE_MS } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import type { MailAgent } from './mail-agent.ts';
import type { MailBounds } from './mail-bounds.ts';

/** A tick of the server, and one of the world. */
const LATE_MS = 2 * contract.tickMs + TOLERANCE_MS;

/** What is not known for sure lies between two times. */
type Given = {
  readonly expectedAt: number;
  /** When Holter has surely heard of it, oldest first: when it was assigned, of each word about it, of a new start. */
  readonly heard: number[];
  maybeHeardAt: number;
  mayBeOver: boolean;
  askedAt: number | null;
};

type Desk = { readonly tasks: Map<string, Given>; failureSince: number | null };

/**
 * Invariants 1 and 2 for tasks (seed 001 §1.5): the agent is asked about a task only when it is past its expected end
 * and had no word about it for half an hour, and then it is; a stalled task is a failure only when that question was
 * open for five minutes and pings are missed as well, and then it is.
 */
export class TaskBounds {
  private readonly report: Report;
  private readonly desks = new Map<string, Desk>();
  private readonly signs: MailBounds;

  constructor(report: Report, signs: MailBounds) {
    this.report = report;
    this.signs = signs;
  }

  private of({ name }: MailAgent): Desk {
    const known = this.desks.get(name);
    if (known) return known;
    const empty: Desk = { tasks: new Map(), failureSince: null };
    this.desks.set(name, empty);
    return empty;
  }

  /** Since one of several calls, if servers died meanwhile. */
  assigned(agent: MailAgent, taskId: string, expectedAt: number, firstCallAt: number, at: number): void {
    const { tasks } = this.of(agent);
    if (tasks.has(taskId)) return;
    tasks.set(taskId, {
      expectedAt,
      heard: [firstCallAt],
      maybeHeardAt: at,
      mayBeOver: false,
      askedAt: null,
    });
  }

  telling(agent: MailAgent, taskId: string, isOver: boolean, at: number): void {
    const task = this.of(agent).tasks.get(taskId);
    if (!task) return;
    task.maybeHeardAt = at;
    if (isOver) task.mayBeOver = true;
  }

  told(agent: MailAgent, taskId: string, at: number): void {
    const task = this.of(agent).tasks.get(taskId);
    task?.heard.push(at);
    if (task) task.maybeHeardAt = at;
  }

  read(agent: MailAgent, event: HolterEvent): void {
    const desk = this.of(agent);
    const { at } = event;
    if (event.type === 'AGENT_REGISTERED') for (const task of desk.tasks.values()) rearm(task, at);
    if (event.type === 'FINDING_CLEARED' && event.payload.kind === 'task-overdue') desk.failureSince = null;
    if (event.type !== 'FINDING_RAISED' || event.payload.kind !== 'task-overdue') return;
    desk.failureSince = event.payload.severity === 'act' ? at : null;
    if (desk.failureSince === null) return;
    const what = 'its stalled task is called a failure';
    if (!this.signs.mayBeLost(agent, at))
      this.report(1, agent.name, at, `${what}, though the agent is heard`);
    const askedBy = at - contract.inquiryMs + TOLERANCE_MS;
    if (![...desk.tasks.values()].some(({ askedAt }) => askedAt !== null && askedAt <= askedBy))
      this.report(1, agent.name, at, `${what} before it could answer`);
  }

  /** `open`: its tasks as they are recorded now. */
  inspect(agent: MailAgent, open: readonly Task[], at: number): void {
    const desk = this.of(agent);
    const { intervalMs } = pulseOfRole(agent.role);
    const lostSince = this.signs.lostSince(agent);
    for (const [taskId, task] of desk.tasks) {
      const askedAt = open.find(({ id }) => id === taskId)?.inquiredAt ?? null;
      if (askedAt !== null && askedAt !== task.askedAt) this.asked(agent, taskId, task, askedAt);
      task.askedAt = askedAt;
      if (task.mayBeOver) continue;
      const stallsBy = this.signs.most.latest(task.maybeHeardAt, contract.taskStallMs, intervalMs);
      const askedBy = Math.max(task.expectedAt, stallsBy, this.signs.most.lastEnd);
      if (askedAt === null && at > askedBy + LATE_MS) {
        this.report(2, agent.name, at, `its task ${taskId} is stalled, and it is not asked`);
        task.maybeHeardAt = at;
      }
      if (askedAt === null || lostSince === null || desk.failureSince !== null) continue;
      const answerBy = this.signs.most.latest(askedAt, contract.inquiryMs, intervalMs);
      const lostBy = this.signs.most.latest(lostSince - LATE_MS, LATE_MS, intervalMs);
      if (at <= Math.max(answerBy, lostBy) + LATE_MS) continue;
      this.report(2, agent.name, at, `lost, with the stalled task ${taskId} that is no failure yet`);
      desk.failureSince = at;
    }
  }

  private asked(agent: MailAgent, taskId: string, { expectedAt, heard }: Given, at: number): void {
    const { intervalMs } = pulseOfRole(agent.role);
    const heardAt = heard.filter((each) => each < at).at(-1) ?? at;
    const stalledAt = this.signs.least.earliest(heardAt, contract.taskStallMs, intervalMs);
    if (at < Math.max(expectedAt, stalledAt - TOLERANCE_MS))
      this.report(1, agent.name, at, `asked about its task ${taskId}, which is not stalled`);
  }
}

/** The successor has the whole time for each task again. */
function rearm(task: Given, at: number): void {
  task.heard.push(at);
  task.maybeHeardAt = Math.max(task.maybeHeardAt, at);
  task.askedAt = null;
}
