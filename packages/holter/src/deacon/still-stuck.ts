import { type SampleAt, whyNotRestart } from '@holter/core/chain';
import type { ActContext } from './act.ts';
import type { DeaconRun } from './look.ts';
import { isAskingAt, promptOf, sampleOf } from './sample.ts';

/** Two looks at its processes that are closer together show little. */
const APART_MS = 5_000;

/** Looks at the processes and the prompt of the Deacon once more, right before it is ended. Null if nothing has changed. */
export async function whyNotStuck(
  context: Pick<ActContext, 'table' | 'clock' | 'now'>,
  run: DeaconRun,
  decidedBy: SampleAt | null,
): Promise<string | null> {
  const { clock, now } = context;
  const passedMs = decidedBy ? now() - decidedBy.at : APART_MS;
  if (passedMs >= 0 && passedMs < APART_MS)
    await new Promise<void>((resolve) => void clock.after(APART_MS - passedMs, resolve));
  const isAsking = await isAskingAt(await promptOf(context, run));
  return whyNotRestart(decidedBy, { ...sampleOf(context, run), at: now() }, isAsking);
}
