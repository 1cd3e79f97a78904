import { execFile } from 'node:child_process';

/**
 * Tells the service manager that the daemon is up and ticks, so that a daemon that hangs is restarted. Node has no Unix
 * datagram sockets, so a program of systemd does it (`NotifyAccess=all`).
 */
export function notifyService(
  env: Readonly<Record<string, string | undefined>>,
  ...words: readonly ('READY=1' | 'WATCHDOG=1' | 'STOPPING=1')[]
): void {
  if (!env.NOTIFY_SOCKET) return;
  execFile('systemd-notify', [...words], { timeout: 10_000 }, () => undefined);
}
