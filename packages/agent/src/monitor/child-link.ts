import type { ChildProcess } from 'node:child_process';
import { discount, type IpcHeartbeat, isHeartbeat, recount } from '../heartbeat-channel.ts';
import { type Ears, type Link, STARTUP_MS } from './link-types.ts';

const PING: IpcHeartbeat = { holter: 'ping' };
const COUNTED_LISTENERS = 2;
const ignore = (): void => undefined;

/**
 * An agent in a child process: pinged over its IPC channel, its end told by the operating system. Without
 * such a channel only its end is seen. A channel that closed while the process runs is a partition.
 */
export class ChildLink implements Link {
  readonly canPing: boolean;
  readonly hasListener = true;
  readonly startupMs = STARTUP_MS;
  private readonly child: ChildProcess;
  private readonly ears: Ears;
  private readonly doesTrack: boolean;

  constructor(child: ChildProcess, ears: Ears, doesTrack: boolean) {
    this.child = child;
    this.ears = ears;
    this.doesTrack = doesTrack;
    this.canPing = child.connected;
    child.on('message', this.onMessage);
    child.on('disconnect', ears.linkLost);
    child.on('exit', this.onExit);
    discount(child.channel, COUNTED_LISTENERS);
    // It ended before it was registered, so that no event will tell.
    if (child.exitCode !== null || child.signalCode !== null)
      process.nextTick(this.onExit, child.exitCode, child.signalCode);
  }

  ping(): boolean {
    // With a callback, what fails comes there and is not emitted as an error of the child.
    if (this.child.connected) this.child.send(PING, ignore);
    return true;
  }

  detach(): void {
    recount(this.child.channel, COUNTED_LISTENERS);
    this.child.off('message', this.onMessage);
    this.child.off('disconnect', this.ears.linkLost);
    this.child.off('exit', this.onExit);
  }

  private readonly onMessage = (message: unknown): void => {
    if (isHeartbeat(message, 'pong')) this.ears.pong();
    else if (this.doesTrack) this.ears.activity();
  };

  private readonly onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
    this.ears.exited(code, signal ? `killed by ${signal}` : `exit code ${code}`);
}
