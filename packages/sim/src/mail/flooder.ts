import type { Random } from '../base/random.ts';
import type { MailNetwork, MailNode } from './mail-agent.ts';
import { OWN_NAME } from './post-server.ts';

type FlooderWorld = Pick<MailNetwork, 'after' | 'request'> & {
  /** Whose boxes there are. */
  readonly names: readonly string[];
  flooded(): void;
};

/** As many together fill a box, although each has only its share of it. */
export const FLOODERS = 5;
const EVERY_MS = 60 * 60_000;
/** More than its share. */
const LETTERS = 220;
const AGAIN_MS = 5_000;

/** An agent with a token that writes to everybody until nothing more goes in, and to Holter first. */
export class Flooder implements MailNode {
  readonly random: Random;
  readonly isCutOff = false;
  private readonly name: string;
  private readonly world: FlooderWorld;
  private incarnation = 0;

  constructor(name: string, random: Random, world: FlooderWorld) {
    this.name = name;
    this.random = random;
    this.world = world;
  }

  async begin(): Promise<void> {
    const registration = {
      agentId: this.name,
      instanceId: this.name,
      role: 'default',
      group: this.name,
      mode: 'observe',
      promises: {},
      can: [],
      executor: null,
    } as const;
    try {
      const answer = await this.world.request(this, ({ engine }) => engine.register(registration));
      if (answer.kind !== 'enrolled' || answer.enrollment.kind === 'refused') throw new Error('refused');
      this.incarnation = answer.agent.hard.incarnation;
      void this.pour(OWN_NAME);
      this.goOn();
    } catch {
      this.world.after(AGAIN_MS, () => void this.begin());
    }
  }

  private goOn(): void {
    this.world.after(this.random.exponential(EVERY_MS), () => {
      void this.pour(this.random.pick([OWN_NAME, ...this.world.names]));
      this.goOn();
    });
  }

  private async pour(to: string): Promise<void> {
    const { name: from, incarnation } = this;
    const content = { type: 'note', message: 'read me' };
    const letter = { from, to, subject: 'note', priority: 'normal', content } as const;
    const sender = { role: 'agent', agentId: from, incarnation } as const;
    for (let n = 0; n < LETTERS; n += 1)
      try {
        await this.world.request(this, ({ office }) =>
          office.send({ ...letter, inReplyTo: null, clientId: null }, sender),
        );
        this.world.flooded();
      } catch {
        // Refused, or lost.
      }
  }
}
