import type { MessagePriority } from '@holter/core';
import type { Random } from '../base/random.ts';
import { type MailAgent, type MailNetwork, type MailNode, STYLES } from './mail-agent.ts';
import { OPERATOR, OWN_NAME } from './post-server.ts';

type ChiefWorld = Pick<MailNetwork, 'now' | 'after' | 'request'> & {
  /** `calls`: when it reached a server. */
  sent(agent: MailAgent, letterId: string, priority: MessagePriority, calls: readonly number[]): void;
  assigned(agent: MailAgent, taskId: string, expectedAt: number, firstCallAt: number): void;
};

export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
const AGAIN_MS = [1_000, 20_000] as const;
const TASK_EVERY_MS = 30 * 60_000;
/** From its assignment to its expected end. */
const TASK_MS = [5 * 60_000, 50 * 60_000] as const;

/** Writes to the agents in Holter's name and gives them tasks; it says each until it knows that it is stored. */
export class Chief implements MailNode {
  readonly random: Random;
  readonly isCutOff = false;
  private readonly world: ChiefWorld;
  private letters = 0;
  private tasks = 0;

  constructor(random: Random, world: ChiefWorld) {
    this.random = random;
    this.world = world;
  }

  get written(): number {
    return this.letters;
  }

  writeEvery(ms: number, agent: MailAgent): void {
    this.world.after(this.random.exponential(ms), () => {
      void this.write(agent, this.random.pick(PRIORITIES), `chief-${++this.letters}`, []);
      this.writeEvery(ms, agent);
    });
  }

  giveTasks(agent: MailAgent): void {
    this.world.after(this.random.exponential(TASK_EVERY_MS), () => {
      const expectedAt = Math.round(this.world.now + this.random.between(...TASK_MS));
      void this.assign(agent, `T-${++this.tasks}`, expectedAt, Number.POSITIVE_INFINITY);
      this.giveTasks(agent);
    });
  }

  private async assign(agent: MailAgent, taskId: string, expectedAt: number, firstAt: number): Promise<void> {
    let firstCallAt = firstAt;
    try {
      await this.world.request(this, async (server) => {
        firstCallAt = Math.min(firstCallAt, this.world.now);
        await server.assign(agent.name, taskId, expectedAt);
        this.world.assigned(agent, taskId, expectedAt, firstCallAt);
      });
      agent.take(taskId, this.random.pick(STYLES));
    } catch {
      this.world.after(
        this.random.between(...AGAIN_MS),
        () => void this.assign(agent, taskId, expectedAt, firstCallAt),
      );
    }
  }

  private async write(
    agent: MailAgent,
    priority: MessagePriority,
    clientId: string,
    calls: readonly number[],
  ): Promise<void> {
    const content = { type: 'task', message: 'please' };
    const letter = { from: OWN_NAME, to: agent.name, subject: 'task', priority, content, clientId };
    const reached = [...calls];
    try {
      await this.world.request(this, async ({ office }) => {
        reached.push(this.world.now);
        const { letter: stored } = await office.send({ ...letter, inReplyTo: null }, OPERATOR);
        this.world.sent(agent, stored.letterId, priority, reached);
      });
    } catch {
      this.world.after(
        this.random.between(...AGAIN_MS),
        () => void this.write(agent, priority, clientId, reached),
      );
    }
  }
}
