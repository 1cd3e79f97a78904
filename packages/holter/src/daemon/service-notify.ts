import { execFile } from 'node:child_process';

export type NotifyService = (word: 'READY=1' | 'WATCHDOG=1' | 'STOPPING=1') => void;

/** What systemd says to a service whose watchdog it is. */
const OF_SERVICE = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'];

/**
 * Tells the service manager that the daemon is up and ticks, so that a daemon that hangs is restarted. Node has no Unix
 * datagram sockets, so a program of systemd does it (`NotifyAccess=all`). Therefore its address is taken out of `env`,
 * which is this process's own: Boot, tmux and the agents that the daemon starts must not feed its watchdog.
 */
export function takeServiceNotice(env: NodeJS.ProcessEnv): NotifyService {
  const given = { ...env };
  for (const name of OF_SERVICE) delete env[name];
  if (!given.NOTIFY_SOCKET) return () => undefined;
  return (word) => void execFile('systemd-notify', [word], { env: given, timeout: 10_000 }, () => undefined);
}
