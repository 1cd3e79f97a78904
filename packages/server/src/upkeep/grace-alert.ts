import { minutes } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { EngineHealth } from '../engine/engine-options.ts';
import type { Logger } from '../logging/logger.ts';

/** More of an hour than this in grace: the monitor looks away too often to be relied on. */
export const GRACE_SHARE_MAX = 0.1;
/** Said again only when it was well below in between, so that a share at the edge does not ring all the time. */
const WELL_BELOW = GRACE_SHARE_MAX / 2;
const EVERY_MS = minutes(1);

type AlertContext = {
  readonly clock: Clock;
  readonly health: () => Pick<EngineHealth, 'graceShare'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
};

/** Tells when Holter itself is the patient. Returns how to stop it. */
export function startGraceAlert({ clock, health, logger }: AlertContext): () => void {
  let isTold = false;
  let cancel: () => void = () => undefined;
  const look = (): void => {
    const { graceShare } = health();
    const percent = Math.round(100 * graceShare);
    if (!isTold && graceShare > GRACE_SHARE_MAX) {
      isTold = true;
      logger.warn(
        { graceShare },
        `for ${percent} % of the last hour nobody's silence counted, because Holter did not look: this machine sleeps, or is too busy`,
      );
    }
    if (isTold && graceShare < WELL_BELOW) {
      isTold = false;
      logger.info({ graceShare }, 'Holter looks all the time again');
    }
    cancel = clock.after(EVERY_MS, look);
  };
  cancel = clock.after(EVERY_MS, look);
  return () => cancel();
}
