import { pulseOfRole } from '../audit/contract.ts';
import type { Random } from '../base/random.ts';
import { PRIORITIES } from './chief.ts';
import type { MailAgent, MailNetwork, MailNode } from './mail-agent.ts';
import { OWN_NAME, type PostServer } from './post-server.ts';

type ForgerWorld = Pick<MailNetwork, 'after' | 'request'> & {
  /** The number of the newest ping to this agent. */
  sequenceOf(agent: MailAgent): Promise<number>;
  /** How many letters the chief has written. */
  readonly written: number;
  forged(): void;
};

/** So many pings ahead: between two of them lie up to four numbers. */
const AHEAD = 4;
/** Intervals of the agent's role between two attempts, on average. */
const PAUSE = 3;
const TASKS_MAX = 40;

/**
 * Somebody on the machine of the server, without a token. It writes in Holter's name, with the client ids that the next
 * pings and letters of Holter will have, and in the names of agents, that they are busy or cannot continue.
 */
export class Forger implements MailNode {
  readonly random: Random;
  readonly isCutOff = false;
  private readonly world: ForgerWorld;

  constructor(random: Random, world: ForgerWorld) {
    this.random = random;
    this.world = world;
  }

  beset(agent: MailAgent): void {
    const { intervalMs } = pulseOfRole(agent.role);
    this.world.after(this.random.exponential(PAUSE * intervalMs), () => {
      void this.forge(agent);
      this.beset(agent);
    });
  }

  private async forge(agent: MailAgent): Promise<void> {
    const { name, incarnation } = agent;
    const sequence = await this.world.sequenceOf(agent);
    for (let next = sequence + 1; next <= sequence + AHEAD; next += 1)
      await this.write(OWN_NAME, name, { type: 'note' }, `ping ping-${next}-${incarnation}-${name}`);
    await this.write(OWN_NAME, name, { type: 'task' }, `chief-${this.world.written + 1}`);
    const taskId = `T-${1 + this.random.below(TASKS_MAX)}`;
    const lie = this.random.pick([
      { type: 'status-update', task_id: taskId, status: 'cannot_continue' },
      { type: 'status-update', task_id: taskId, status: 'completed' },
      { type: 'heartbeat-response', sequence, status: 'busy' },
    ]);
    await this.write(name, OWN_NAME, lie, null);
    await this.attempt(({ office }) => office.beat(name, null, { status: 'busy', role: agent.role }));
  }

  private write(from: string, to: string, said: object, clientId: string | null): Promise<void> {
    const content = { ...said, message: 'please' };
    const priority = this.random.pick(PRIORITIES);
    const letter = { from, to, subject: 'task', priority, content, inReplyTo: null, clientId };
    return this.attempt(({ office }) => office.send(letter, null));
  }

  private async attempt(call: (server: PostServer) => Promise<unknown>): Promise<void> {
    try {
      await this.world.request(this, call);
      this.world.forged();
    } catch {
      // Refused, or lost.
    }
  }
}
