import {
  BOOT_CHECK_IN,
  BOOT_WAKE,
  type BootMemory,
  type DeaconLook,
  freshnessOf,
  remember,
  type Triage,
  triage,
  UNSENT_MAX,
} from '@holter/core/chain';
import { instant } from '@holter/core/time';
import type { ProcessIdentity } from '@holter/server/process';
import type { ActContext } from '../deacon/act.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { type DeaconRun, type DeaconView, lookAtDeacon } from '../deacon/look.ts';
import { isAskingAt, promptOf, sampleOf, typing } from '../deacon/sample.ts';
import { TmuxError } from '../tmux/control-client.ts';
import type { Prompt } from '../tmux/prompt.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { BOOT, DEACON, OVERSEER } from '../town/town.ts';
import type { Question } from './advise.ts';
import { type BootStatus, readBootStatus, writeBootStatus } from './status-file.ts';

type BootContext = ActContext & {
  readonly mail: ChainMail;
  /** This process. */
  readonly self: ProcessIdentity;
  /** Who has shut the Deacon down on purpose; null if nobody has. */
  readonly downBy: string | null;
  /** A person has stopped Holter's own acts: nothing is sent to the Deacon, started or ended. People are still told. */
  readonly isHeld: boolean;
  /** Asked before the Deacon is woken or nudged; null leaves the decision of the rules. */
  readonly advise: ((question: Question) => Promise<Triage | null>) | null;
};

/** What became of START and RESTART, which Boot does not carry out itself. */
export const LEFT_TO_DAEMON = 'left to the daemon';

/** Of what its pane shows, for the one who is asked. */
const PANE_LINES = 60;

/** One triage: look, decide, act, write the status. */
export async function runTriage(context: BootContext): Promise<BootStatus> {
  const { town, now, settings } = context;
  const last = await readBootStatus(town, now);
  const view = await lookAtDeacon(context);
  const reading = await heartbeatReading(town, now);
  const freshness = view.run && freshnessOf(reading, view.run, instant(now()), settings.freshness);
  // An idle town costs little: nothing is asked about a Deacon that is fresh, and its agent is not looked for.
  const prompt = view.run && freshness?.kind !== 'fresh' ? await promptOf(context, view.run) : null;
  const before = last?.memory ? { ...last.memory, at: instant(last.at) } : null;
  const isFresh = freshness?.kind === 'fresh';
  const limitedUntil = isFresh ? null : await context.mail.limitedUntil(DEACON);
  const seen = { at: instant(now()), reading, freshness, limitedUntil };
  const { memory, process, unknownMs, sinceWakeMs, limitedMs } = remember(
    before,
    sampleOf(context, view.run),
    seen,
  );
  const pendingLetters = isFresh ? 0 : await context.mail.pending();
  const look: DeaconLook = {
    ...{ session: view.session, isDegraded: view.isDegraded, freshness, pendingLetters, process, unknownMs },
    isAsking: await isAskingAt(prompt),
    wakes: memory.wakes,
    ...{ sinceWakeMs, limitedMs, downBy: context.downBy },
    canBeTold: (prompt !== null || pendingLetters !== null) && memory.unsent < UNSENT_MAX,
  };
  const ruled = triage(look, { ...settings.freshness, tickMs: settings.tickMs });
  const isAsked = isAskedFor(ruled) && !context.isHeld;
  const decided = (isAsked && (await ask(context, view, look, ruled))) || ruled;
  const done = await carryOut(context, decided, prompt, memory);
  const status: BootStatus = {
    ...decided,
    at: now(),
    target: settings.deaconSession,
    result: done.result,
    memory: { ...memory, ...done.memory },
  };
  await writeBootStatus(town, status, incarnationOf(context.self));
  return status;
}

/** No model is asked while the rules decide alone: that nothing is to be done, or that nothing runs. */
const isAskedFor = ({ action }: Triage): boolean => action === 'WAKE' || action === 'NUDGE';

async function ask(
  { advise }: BootContext,
  { run }: DeaconView,
  look: DeaconLook,
  decided: Triage,
): Promise<Triage | null> {
  if (!advise) return null;
  const pane = run?.place ? await historyOf(run.place) : null;
  return advise({ look, decided, pane });
}

/** Null if it can't be seen. */
async function historyOf({ pane }: NonNullable<DeaconRun['place']>): Promise<string | null> {
  try {
    const { redact } = await import('@holter/server/redaction');
    return redact(await pane.pane.history(PANE_LINES));
  } catch (error) {
    if (error instanceof TmuxError) return null;
    throw error;
  }
}

type Done = { readonly result: string; readonly memory: Partial<BootMemory> };

async function carryOut(
  context: BootContext,
  { action, reason }: Triage,
  prompt: Prompt | null,
  memory: BootMemory,
): Promise<Done> {
  if (context.isHeld && action !== 'NOTHING' && action !== 'ESCALATE')
    return { result: 'not done: acts are stopped (holter estop)', memory: {} };
  switch (action) {
    case 'NOTHING':
      return { result: 'nothing to do', memory: {} };
    case 'NUDGE':
      return { result: (await tell(context, prompt, BOOT_CHECK_IN)).result, memory: {} };
    case 'WAKE': {
      const { isSent, result } = await tell(context, prompt, BOOT_WAKE);
      const { wakes, unsent } = memory;
      const counted = isSent ? { wakes: wakes + 1, unsent: 0 } : { unsent: unsent + 1 };
      return { result, memory: { ...counted, wakeTriedAt: context.now() } };
    }
    case 'START':
    case 'RESTART':
      return { result: LEFT_TO_DAEMON, memory: {} };
    case 'ESCALATE': {
      const { result, memory: told } = await tellOverseer(context, reason, memory);
      // A person knows, and it may be in reach again.
      return { result, memory: { ...told, unsent: 0 } };
    }
  }
}

async function tell(
  { mail }: BootContext,
  prompt: Prompt | null,
  text: string,
): Promise<{ readonly isSent: boolean; readonly result: string }> {
  if (prompt) {
    const tried = await (await typing()).typeAtPrompt(prompt, text);
    if ('wait' in tried) return { isSent: false, result: `not sent: ${tried.wait}` };
    // One that is stopped or hangs does not show what was typed, and has been woken all the same.
    return { isSent: tried.outcome !== 'refused', result: `${tried.outcome}: ${tried.detail}` };
  }
  const why = await mail.nudge(text);
  return why === null
    ? { isSent: true, result: 'sent to its mailbox' }
    : { isSent: false, result: `not sent: ${why}` };
}

/** Once for each run, and again if the letter could not be sent. */
async function tellOverseer(
  { mail, settings }: BootContext,
  reason: string,
  { isTold }: BootMemory,
): Promise<Done> {
  if (isTold) return { result: 'the overseer was told before', memory: {} };
  const why = await mail.send({
    from: BOOT,
    to: OVERSEER,
    subject: 'The Deacon needs attention',
    message: `${settings.deaconSession}: ${reason}.`,
    type: 'escalation',
    priority: 'urgent',
  });
  return why === null
    ? { result: 'the overseer was told', memory: { isTold: true } }
    : { result: `the overseer could not be told: ${why}`, memory: {} };
}
