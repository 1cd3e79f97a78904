import type { LifecycleRequest } from '@holter/core';
import { isMarked } from '../boot/marker.ts';
import { readBootStatus } from '../boot/status-file.ts';
import type { Chain } from '../deacon/context.ts';
import { HANDOFF } from '../deacon/handoff.ts';
import { lookAtDeacon } from '../deacon/look.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import type { BootHand } from './boot-hand.ts';
import type { TownDuties } from './daemon.ts';
import { lifecycleRequests } from './lifecycle-requests.ts';

/** What the daemon sees and does in its town besides looking after the links. */
export function townDuties(chain: Chain, boot: BootHand, mail: ChainMail): TownDuties {
  const { town, table, settings, now } = chain;
  let triagedAt = now();

  /** What Boot has said about the run that is there now, once. */
  const newTriage = async () => {
    const status = await readBootStatus(town, now);
    if (!status || status.at <= triagedAt) return null;
    triagedAt = status.at;
    // Where a person is needed, Boot tells the overseer itself.
    if (status.action === 'ESCALATE' && status.memory?.isTold) return null;
    const { run } = await lookAtDeacon(chain);
    return run && status.memory?.incarnation === run.incarnation ? status : null;
  };

  return {
    see: async (looks) => ({
      isBootRunning: boot.isRunning || (await isMarked(town, table, settings.bootTtlMs, now)),
      triage: await newTriage(),
      lifecycle: lifecycleRequests(chain, looks),
    }),
    triage: boot.start,
    handOver: async (request) => {
      const why = await mail.send(letterOf(request));
      if (why !== null) throw new Error(why);
    },
  };
}

/** From the one that is cycled to its next run, like its own handoff. */
function letterOf({ name, by, reason }: LifecycleRequest) {
  const box = name.replace(/^agent:/, '');
  const message = `Your last run was ended on purpose, by ${by}${reason === '' ? '' : `: ${reason}`}. Go on where it was.`;
  return { from: box, to: box, subject: 'Cycled by the daemon', message, type: HANDOFF };
}
