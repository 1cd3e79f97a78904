import { ackOverdue } from './ack-overdue.ts';
import { breakerOpen } from './breaker-open.ts';
import { checkpointAge } from './checkpoint-age.ts';
import { holdOverdue } from './hold-age.ts';
import { limitExceeded } from './limits.ts';
import { missedBeats } from './missed-beats.ts';
import { frozen, processGone } from './process.ts';
import type { Rule } from './rule.ts';
import { silence } from './silence.ts';
import { taskOverdue } from './task-overdue.ts';

/** In this order: `frozen` is a second witness and looks at what the rules before it have found. */
export const RULES: readonly Rule[] = [
  processGone,
  missedBeats,
  silence,
  frozen,
  checkpointAge,
  taskOverdue,
  ackOverdue,
  limitExceeded,
  breakerOpen,
  holdOverdue,
];
