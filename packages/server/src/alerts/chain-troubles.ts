import { CHAIN_EXECUTOR, CHAIN_GROUP, type Hard, type Instant } from '@holter/core';

type ChainTrouble = { readonly name: string; readonly says: string; readonly since: Instant };

/** The daemon, or a link whose incidents it hands in. */
const isOfChain = ({ agentId, group }: Hard): boolean =>
  group === CHAIN_GROUP && (agentId === CHAIN_EXECUTOR || agentId.startsWith(`${CHAIN_EXECUTOR}:`));

/**
 * What is wrong with the chain that watches this server: the daemon is silent beyond its promise, or has handed in an
 * incident of a link that needs a person. Null for every other agent, and for what the chain repairs itself.
 */
export function chainTrouble(hard: Hard): ChainTrouble | null {
  const { agentId, derived, points, end } = hard;
  if (!isOfChain(hard) || end) return null;
  const isDaemon = agentId === CHAIN_EXECUTOR;
  const finding = [...derived, ...points].find(({ kind, severity }) =>
    isDaemon ? kind === 'missed-heartbeats' : severity === 'act',
  );
  if (!finding) return null;
  // `/health` shows it without a token, so that it has no words of other programs.
  const says = isDaemon
    ? 'The daemon of the watchdog chain is silent: nothing restarts this server if it fails. To start it: holter daemon'
    : `The watchdog chain can't repair ${agentId.slice(CHAIN_EXECUTOR.length + 1)}. To see why: holter why ${agentId}`;
  return { name: agentId, says, since: finding.since };
}
