import type { MessagePriority } from '@holter/core';
import type { Random } from '../base/random.ts';
import type { MailAgent, MailNetwork, MailNode } from './mail-agent.ts';
import { OWN_NAME } from './post-server.ts';

type ChiefWorld = Pick<MailNetwork, 'now' | 'after' | 'request'> & {
  /** `calls`: when it reached a server. */
  sent(agent: MailAgent, letterId: string, priority: MessagePriority, calls: readonly number[]): void;
};

export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
const AGAIN_MS = [1_000, 20_000] as const;
const SENDER = { role: 'operator', agentId: null, incarnation: null } as const;

/** Writes to the agents in Holter's name, and sends each letter until it knows that it is stored. */
export class Chief implements MailNode {
  readonly random: Random;
  readonly isCutOff = false;
  private readonly world: ChiefWorld;
  private letters = 0;

  constructor(random: Random, world: ChiefWorld) {
    this.random = random;
    this.world = world;
  }

  writeEvery(ms: number, agent: MailAgent): void {
    this.world.after(this.random.exponential(ms), () => {
      void this.write(agent, this.random.pick(PRIORITIES), `chief-${++this.letters}`, []);
      this.writeEvery(ms, agent);
    });
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
        const { letter: stored } = await office.send({ ...letter, inReplyTo: null }, SENDER);
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
