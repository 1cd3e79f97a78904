import { ChildProcess } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { ChildLink } from './child-link.ts';
import { EmitterLink } from './emitter-link.ts';
import type { MonitoredAgent } from './events.ts';
import type { Ears, Link } from './link-types.ts';
import { WorkerLink } from './worker-link.ts';

export type { Ears, Link } from './link-types.ts';

/** The links to the agents of one monitor. */
export class Links {
  private readonly ears: Ears;
  private readonly emitters: EmitterLink;

  constructor(ears: Ears) {
    this.ears = ears;
    this.emitters = new EmitterLink(ears);
  }

  /** Whether this emitter is watched already, under any name. */
  has(agent: MonitoredAgent): boolean {
    return this.emitters.has(agent);
  }

  /** Worker threads and child processes are emitters too, but they answer from elsewhere. */
  to(agent: MonitoredAgent): Link {
    if (agent instanceof Worker) return new WorkerLink(agent, this.ears);
    if (agent instanceof ChildProcess) return new ChildLink(agent, this.ears);
    return this.emitters;
  }
}
