import { FINDING_KINDS, isFindingKind } from '@holter/core';

/**
 * The one place that says why something is never exercised here. An explanation names what covers it instead;
 * whatever is zero and not explained is a hole in the simulator, and the soak says so with its exit code.
 */
type Explanation = {
  readonly section: string;
  readonly items: Pick<RegExp, 'test'>;
  readonly because: string;
};

const jobs = 'a scheduled job only reports that it has run: scenarios/job-late-or-failed.txt';
const isFruitless = (item: string): boolean => {
  const [kind = ''] = item.split(' ');
  return isFindingKind(kind) && FINDING_KINDS[kind].isFruitless === true;
};
const fruitless =
  'simulated agents write no texts that vary without a result: packages/core/test/detect and the stories of each';
const budgets = 'simulated agents cost nothing: scenarios/entry-budgets.txt';

const tickets =
  'nobody judges here unless the fault `tickets` is named: core/src/incident/ticket.test.ts, sim:mutants 49 and 50';

export const EXPLAINED: readonly Explanation[] = [
  {
    section: 'event',
    items: /^(WORKER_ESCALATION_TICKET|QUEEN_INTERVENTION_REQUESTED|TICKET_CHANGED)$/,
    because: tickets,
  },
  { section: 'finding', items: /^ticket (warn|act)$/, because: tickets },
  { section: 'entry', items: /^ticket at escalate$/, because: tickets },
  { section: 'fault', items: /^tickets$/, because: tickets },
  {
    section: 'server killed',
    items: /^(before|after) (getMeta|groupSize)$/,
    because: 'asked once by a server, at its start or for a new group: packages/sim/src/crash kills there',
  },
  {
    section: 'server killed',
    items: /^(before|after) (lastEffectChange|listEffects)$/,
    because: 'asked once by a server that shares its store, at its start: it has done nothing yet',
  },
  {
    section: 'server killed',
    items: /^(before|after) (act (remind|request-handoff)|retryEffect|renewEffects)$/,
    because: 'comes some times in a thousand hours, and takes the way of every nudge and notice',
  },
  {
    section: 'effect',
    items: /^remind unknown$/,
    because: 'a reminder is rare, and its receipts are read as those of a nudge',
  },
  {
    section: 'finding',
    items:
      /^(process-gone|frozen|breaker-open|consecutive-failures|unrecoverable-error|limit-exceeded) warn$/,
    because: 'acts at once: the core has no milder form of it',
  },
  {
    section: 'finding',
    items:
      /^(near-duplicate|token-spike|error-rate|delivery-failed|hold-overdue|self-reported|hooks-silent|not-exiting|file-unusable|blocker) act$/,
    because: 'only ever warns: the core has no graver form of it',
  },
  {
    section: 'finding',
    items: /^(file-unusable|hooks-silent|not-exiting) warn$/,
    because: 'about files on a disk and hooks of a CLI, which the simulated world has none of',
  },
  {
    section: 'entry',
    items: /^(near-duplicate at (nudge|escalate)|delivery-failed at escalate)$/,
    because: 'only ever warns, and no incident begins with a warning',
  },
  {
    section: 'entry',
    items: /^frozen at terminate$/,
    because: 'one source notices a freeze first: its incident begins at escalate and climbs with the second',
  },
  {
    section: 'entry',
    items: /^unrecoverable-error at terminate$/,
    because: 'needs a policy that names the step in advance: scenarios/entry-named-by-the-policy.txt',
  },
  {
    section: 'entry',
    items: /^process-gone at escalate$/,
    because: 'needs somebody who says so without a proof: core/src/incident/entry.test.ts',
  },
  {
    section: 'finding',
    items: { test: isFruitless },
    because: fruitless,
  },
  {
    section: 'entry',
    items: { test: isFruitless },
    because: fruitless,
  },
  {
    section: 'finding',
    items: /^foreign-task (warn|act)$/,
    because: 'no simulated agent works on a task of another one: packages/core/test/beat-payload.test.ts',
  },
  {
    section: 'finding',
    items: /^budget (warn|act)$/,
    because: budgets,
  },
  {
    section: 'entry',
    items: /^budget at (escalate|terminate)$/,
    because: budgets,
  },
  {
    section: 'signal',
    items: /^finding(-cleared)?$/,
    because:
      'the live detectors judge simulated agents; fed findings are told in the stories (`loop`, `clear`)',
  },
  {
    section: 'signal',
    items: /^job-ended$/,
    because: jobs,
  },
  {
    section: 'finding',
    items: /^job-(late|failed) (warn|act)$/,
    because: jobs,
  },
  {
    section: 'entry',
    items: /^job-(late|failed) at escalate$/,
    because: jobs,
  },
  {
    section: 'event',
    items: /^JOB_ENDED$/,
    because: jobs,
  },
  {
    section: 'effect',
    items: /^(inquire|remind|notify|deny-call|request-handoff|terminate|spawn) seen$/,
    because: 'only a nudge is ever seen: nothing else is put into an agent’s context',
  },
  {
    section: 'effect',
    items: /^(nudge|inquire|remind|notify|request-handoff) done$|^(deny-call|terminate|spawn) delivered$/,
    because: 'words are delivered, acts are done: no executor says the other',
  },
  {
    section: 'effect',
    items: /^(inquire|remind|notify|request-handoff) cancelled$/,
    because: 'words of yesterday do no harm: the core lets every claim of one proceed',
  },
  {
    section: 'effect',
    items: /^(nudge|inquire|remind|deny-call|request-handoff|terminate|spawn) posted$/,
    because: 'only notices are posted',
  },
  {
    section: 'effect',
    items: /^notify (refused|unknown)$/,
    because: 'notices are sent again until they arrive: nobody gives up on one',
  },
  {
    section: 'breaker',
    items: /^recovery_attempt OPEN → CLOSED$/,
    because: 'nobody resets the breaker of Holter’s own starts here; the others show what a reset does',
  },
];

export const whyNever = (section: string, item: string): string | null =>
  EXPLAINED.find((known) => known.section === section && known.items.test(item))?.because ?? null;
