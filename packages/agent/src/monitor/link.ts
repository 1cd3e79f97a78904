import { ChildProcess } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { ChildLink } from './child-link.ts';
import { EmitterLink } from './emitter-link.ts';
import type { MonitoredAgent } from './events.ts';
import type { Ears, Link } from './link-types.ts';
import { WorkerLink } from './worker-link.ts';

export type { Ears, Link } from './link-types.ts';

/** Worker threads and child processes are emitters too, but they answer from elsewhere. */
export function linkTo(agent: MonitoredAgent, ears: Ears, activityEvents: readonly string[]): Link {
  const doesTrack = activityEvents.length > 0;
  if (agent instanceof Worker) return new WorkerLink(agent, ears, doesTrack);
  if (agent instanceof ChildProcess) return new ChildLink(agent, ears, doesTrack);
  return new EmitterLink(agent, ears, activityEvents);
}
