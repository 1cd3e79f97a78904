import { instant, type LifecycleRequest, type LinkLook, memberLink } from '@holter/core';
import type { Chain } from '../deacon/context.ts';
import { takeRequests, type WrittenRequest } from '../town/lifecycle-file.ts';
import { DEACON } from '../town/town.ts';
import type { TownLooks } from './daemon.ts';
import { incarnationIn } from './member-hand.ts';

/** What the daemon is asked to do, in the terms of what it has just seen. */
export function lifecycleRequests(chain: Chain, looks: TownLooks): readonly LifecycleRequest[] {
  const { data, town } = chain;
  return takeRequests(data, town.path).map((request) => asSeen(chain, request, looks));
}

function asSeen(
  { clock, now }: Pick<Chain, 'clock' | 'now'>,
  { agent, incarnation, at, ...request }: WrittenRequest,
  { deacon, members }: TownLooks,
): LifecycleRequest {
  const name = agent === DEACON ? DEACON : memberLink(agent);
  const look: LinkLook | undefined =
    name === DEACON ? deacon : members.find(([member]) => member === name)?.[1];
  const running = look ? incarnationIn(look) : null;
  // Another run keeps its own name, which is that of no process that was seen.
  const process = incarnation !== null && incarnation === running ? (look?.process ?? null) : incarnation;
  // Written by the wall clock; the one of the daemon stands still while the machine sleeps.
  return { ...request, name, process, at: instant(clock.now() - (now() - at)) };
}
