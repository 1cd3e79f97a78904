import type { ChildProcess } from 'node:child_process';
import { discount, type IpcHeartbeat, isHeartbeat, recount } from '../heartbeat-channel.ts';
import type { HealthRecord } from './health-record.ts';
import { type Ears, type Link, STARTUP_MS } from './link-types.ts';

const PING: IpcHeartbeat = { holter: 'ping' };
const COUNTED_LISTENERS = 2;
const ignore = (): void => undefined;

/**
 * An agent in a child process: pinged over its IPC channel; the operating system reports its end. Without a
 * channel only its end is seen. A channel that closes while the process runs is a partition.
 */
export class ChildLink implements Link {
  readonly canPing: boolean;
  readonly startupMs = STARTUP_MS;
  private readonly child: ChildProcess;
  private readonly ears: Ears;
  private forget: () => void = ignore;

  constructor(child: ChildProcess, ears: Ears) {
    this.child = child;
    this.ears = ears;
    this.canPing = child.connected;
  }

  hasListener(): boolean {
    return true;
  }

  attach(record: HealthRecord): void {
    const { child, ears } = this;
    const onMessage = (message: unknown): void => {
      if (isHeartbeat(message, 'pong')) ears.pong(record);
      else if (record.about.activityEvents.length > 0) ears.activity(record);
    };
    const onLinkLost = (): void => ears.linkLost(record);
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
      ears.exited(record, code, signal ? `killed by ${signal}` : `exit code ${code}`);
    child.on('message', onMessage);
    child.on('disconnect', onLinkLost);
    child.on('exit', onExit);
    discount(child.channel, COUNTED_LISTENERS);
    // It ended before it was registered, so no event will come.
    if (child.exitCode !== null || child.signalCode !== null)
      process.nextTick(onExit, child.exitCode, child.signalCode);
    this.forget = () => {
      recount(child.channel, COUNTED_LISTENERS);
      child.off('message', onMessage);
      child.off('disconnect', onLinkLost);
      child.off('exit', onExit);
    };
  }

  ping(): boolean {
    // With a callback, a failure is passed to it instead of being emitted as an error of the child.
    if (this.child.connected) this.child.send(PING, ignore);
    return true;
  }

  detach(): void {
    this.forget();
  }
}
