import { BroadcastChannel, type Worker } from 'node:worker_threads';
import { workerChannelName } from '../heartbeat-channel.ts';
import type { HealthRecord } from './health-record.ts';
import { type Ears, type Link, STARTUP_MS } from './link-types.ts';

/**
 * An agent in a worker thread. Pings take a channel of their own: a listener on the worker's `parentPort`
 * would keep the thread alive, and would mix with the messages of the host.
 */
export class WorkerLink implements Link {
  readonly canPing = true;
  readonly startupMs = STARTUP_MS;
  private readonly worker: Worker;
  private readonly ears: Ears;
  private readonly channel: BroadcastChannel;
  private forget: () => void = () => undefined;

  constructor(worker: Worker, ears: Ears) {
    this.worker = worker;
    this.ears = ears;
    this.channel = new BroadcastChannel(workerChannelName(worker.threadId));
    this.channel.unref();
  }

  hasListener(): boolean {
    return true;
  }

  attach(record: HealthRecord): void {
    const { worker, ears, channel } = this;
    const onMessage = (): void => ears.activity(record);
    const onExit = (code: number): void => ears.exited(record, code, `worker exit code ${code}`);
    channel.onmessage = () => ears.pong(record);
    if (record.about.activityEvents.length > 0) worker.on('message', onMessage);
    worker.on('exit', onExit);
    this.forget = () => {
      worker.off('message', onMessage);
      worker.off('exit', onExit);
    };
  }

  ping(): boolean {
    this.channel.postMessage('ping');
    return true;
  }

  detach(): void {
    this.channel.close();
    this.forget();
  }
}
