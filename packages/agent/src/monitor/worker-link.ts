import { BroadcastChannel, type Worker } from 'node:worker_threads';
import { workerChannelName } from '../heartbeat-channel.ts';
import { type Ears, type Link, STARTUP_MS } from './link-types.ts';

/**
 * An agent in a worker thread. Pings take a channel of their own: a listener on the worker's `parentPort`
 * would keep the thread alive, and would mix with the messages of the host.
 */
export class WorkerLink implements Link {
  readonly canPing = true;
  readonly hasListener = true;
  readonly startupMs = STARTUP_MS;
  private readonly worker: Worker;
  private readonly ears: Ears;
  private readonly channel: BroadcastChannel;
  private readonly doesTrack: boolean;

  constructor(worker: Worker, ears: Ears, doesTrack: boolean) {
    this.worker = worker;
    this.ears = ears;
    this.doesTrack = doesTrack;
    this.channel = new BroadcastChannel(workerChannelName(worker.threadId));
    this.channel.unref();
    this.channel.onmessage = ears.pong;
    if (doesTrack) worker.on('message', ears.activity);
    worker.on('exit', this.onExit);
  }

  ping(): boolean {
    this.channel.postMessage('ping');
    return true;
  }

  detach(): void {
    this.channel.close();
    if (this.doesTrack) this.worker.off('message', this.ears.activity);
    this.worker.off('exit', this.onExit);
  }

  private readonly onExit = (code: number): void => this.ears.exited(code, `worker exit code ${code}`);
}
