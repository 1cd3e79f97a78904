import { realClock, realDice } from '../real-clock.ts';
import { startWatchdog } from '../watchdog/watchdog.ts';
import { HolterClient } from './client.ts';
import { type ConnectOptions, readOptions } from './options.ts';
import { Session } from './session.ts';

/**
 * Connects this agent to a Holter server. Returns immediately even if there is no server, and does not keep the
 * process alive; see `HolterClient`.
 * @throws OptionError if an option is wrong
 */
export function connect(options: ConnectOptions = {}): HolterClient {
  const full = readOptions(options, process.env);
  const session = new Session(full, realClock, realDice);
  const watchdog = full.watchdog === 'off' ? null : startWatchdog({ onFreeze: full.watchdog });
  const reportAs = (url: string, token: string) => watchdog?.reportTo({ url, agentId: full.agentId, token });
  session.onRegistered = reportAs;
  if (full.joined) reportAs(full.url, full.joined.token);
  session.schedule(0);
  return new HolterClient(session, full.checkpointTimeoutMs, realDice.newId, () => watchdog?.stop());
}
