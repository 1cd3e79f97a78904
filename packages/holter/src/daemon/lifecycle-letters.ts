import {
  instant,
  type LifecycleAction,
  type LifecycleRequest,
  type LinkLook,
  memberLink,
} from '@holter/core';
import type { LetterView } from '@holter/server/local';
import { type ProcessIdentity, startedAtOf } from '@holter/server/process';
import type { Chain } from '../deacon/context.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import { DEACON, DEACON_SESSION } from '../town/town.ts';
import type { TownLooks } from './daemon.ts';
import { incarnationIn } from './member-hand.ts';

type LetterContext = Pick<Chain, 'clock' | 'now'> & { readonly mail: ChainMail };

const TEXT_MAX = 200;
/** The name of no process, so that the request is about none that was seen. */
const ANOTHER_RUN = 'another run';

/** What operators and orchestrators ask the daemon for by letter, in the terms of what it has just seen. */
export async function lifecycleLetters(
  context: LetterContext,
  looks: TownLooks,
): Promise<readonly LifecycleRequest[]> {
  const { mail } = context;
  const letters = await mail.lifecycle((agent) => lookOf(agentOf(agent), looks) !== undefined);
  return Promise.all(letters.map((letter) => requestIn(context, letter, looks)));
}

/** The Deacon is also named by its session. */
const agentOf = (named: string): string => (named === DEACON_SESSION ? DEACON : named);

function lookOf(agent: string, { deacon, members }: TownLooks): LinkLook | undefined {
  return agent === DEACON ? deacon : members.find(([name]) => name === memberLink(agent))?.[1];
}

async function requestIn(
  { mail, clock, now }: LetterContext,
  { from, timestamp, content }: LetterView,
  looks: TownLooks,
): Promise<LifecycleRequest> {
  const agent = agentOf(String(content.agent));
  const look = lookOf(agent, looks);
  const start = await mail.startOf(agent);
  const isMeant = start?.incarnation === content.incarnation;
  return {
    action: content.action as LifecycleAction,
    name: agent === DEACON ? DEACON : memberLink(agent),
    process: isMeant && look ? processOf(look, start?.startedAt ?? 0, now()) : ANOTHER_RUN,
    by: `${from}, by letter`.slice(0, TEXT_MAX),
    reason: String(content.message).slice(0, TEXT_MAX),
    // Written by the wall clock; the one of the daemon stands still while the machine sleeps.
    at: instant(clock.now() - (now() - Date.parse(timestamp))),
  };
}

/**
 * The process whose start the server knows; null if none runs. One that began later than that start was registered is
 * its successor, which has not registered yet.
 */
function processOf(look: LinkLook, registeredAt: number, now: number): string | null {
  if (look.process === null || incarnationIn(look) === null) return null;
  const begunAt = startedAtOf(JSON.parse(look.process) as ProcessIdentity, now);
  return begunAt !== null && begunAt <= registeredAt ? look.process : ANOTHER_RUN;
}
