import {
  BOOT_CHECK_IN,
  BOOT_WAKE,
  type ChainProcess,
  type DeaconLook,
  type Freshness,
  freshnessOf,
  type Triage,
  triage,
} from '@holter/core/chain';
import { instant, milliseconds } from '@holter/core/time';
import { findProcess, type ProcessIdentity, ProcessTree } from '@holter/server/process';
import { type ActContext, restartDeacon, startDeacon } from '../deacon/act.ts';
import { heartbeatReading } from '../deacon/heartbeat.ts';
import { type DeaconRun, type DeaconView, lookAtDeacon } from '../deacon/look.ts';
import { nullIfGone } from '../tmux/control-client.ts';
import type { Prompt } from '../tmux/prompt.ts';
import type { ChainMail } from '../town/chain-mail.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { BOOT, OVERSEER } from '../town/town.ts';
import type { Question } from './advise.ts';
import { processEvidence } from './process-evidence.ts';
import { type BootMemory, type BootStatus, readBootStatus, writeBootStatus } from './status-file.ts';

type BootContext = ActContext & {
  readonly mail: ChainMail;
  /** This process. */
  readonly self: ProcessIdentity;
  /** Whether START and RESTART are carried out here, and not by the daemon. */
  readonly mayAct: boolean;
  /** Asked before the Deacon is woken or nudged; null leaves the decision of the rules. */
  readonly advise: ((question: Question) => Promise<Triage | null>) | null;
};

/** Of what its pane shows, for the one who is asked. */
const PANE_LINES = 60;

/** One triage: look, decide, act, write the status. */
export async function runTriage(context: BootContext): Promise<BootStatus> {
  const { town, now, settings } = context;
  const last = readBootStatus(town, now);
  const view = await lookAtDeacon(context);
  const reading = heartbeatReading(town, now);
  const freshness = view.run && freshnessOf(reading, view.run, instant(now()), settings.freshness);
  // An idle town costs little: nothing is asked about a Deacon that is fresh, and its agent is not looked for.
  const prompt = view.run && freshness?.kind !== 'fresh' ? await promptOf(context, view.run) : null;
  const memory = remember(context, view.run, last);
  const seen = await observe(context, view, freshness, prompt, memory);
  const ruled = triage(seen.look, settings.freshness);
  const decided = (isAskedFor(ruled) && (await ask(context, view, seen.look, ruled))) || ruled;
  const done = await carryOut(context, decided, view, prompt, memory);
  const status: BootStatus = {
    ...decided,
    at: now(),
    target: settings.deaconSession,
    result: done.result,
    memory: { ...memory, ...seen.memory, ...done.memory },
  };
  writeBootStatus(town, status, incarnationOf(context.self));
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
  const pane = (await run?.place?.pane.pane.history(PANE_LINES).catch(nullIfGone)) ?? null;
  return advise({ look, decided, pane });
}

type Seen = { readonly look: DeaconLook; readonly memory: Partial<BootMemory> };

async function observe(
  context: BootContext,
  { session, isDegraded }: DeaconView,
  freshness: Freshness | null,
  prompt: Prompt | null,
  memory: Remembered,
): Promise<Seen> {
  const { now, mail } = context;
  const at = now();
  const isFresh = freshness?.kind === 'fresh';
  const pendingLetters = isFresh ? 0 : await mail.pending();
  const unknownSince = unknownSinceOf(freshness, memory, at);
  const wakes = isFresh ? 0 : memory.wakes;
  const look: DeaconLook = {
    session,
    freshness,
    unknownMs: milliseconds(unknownSince === null ? 0 : at - unknownSince),
    pendingLetters,
    process: memory.process,
    isAsking: prompt !== null && (await (await typing()).seePrompt(prompt)).isAsking,
    wakes,
    canBeTold: prompt !== null || pendingLetters !== null,
    isDegraded,
  };
  return { look, memory: { wakes, unknownSince, ...(isFresh && { isTold: false }) } };
}

const unknownSinceOf = (
  freshness: Freshness | null,
  { unknownSince }: BootMemory,
  now: number,
): number | null => (freshness?.kind === 'unknown' ? (unknownSince ?? now) : null);

type Remembered = BootMemory & { readonly process: ChainProcess };

/** Nothing runs. */
const NO_RUN = 'none';

/** What the last triage knew about this run, with a new sample of its processes. */
function remember({ table, now }: BootContext, run: DeaconRun | null, last: BootStatus | null): Remembered {
  const incarnation = run?.incarnation ?? NO_RUN;
  const before = last?.memory?.incarnation === incarnation ? last.memory : null;
  const rows = run ? new ProcessTree(table, run.process, incarnation).look() : [];
  const root = run && findProcess(table, run.process);
  const sample = {
    incarnation,
    cpuMs: root ? rows.reduce((sum, { cpuMs, reapedCpuMs }) => sum + cpuMs + reapedCpuMs, 0) : null,
    isStopped: root?.state === 'stopped',
  };
  return {
    ...sample,
    wakes: before?.wakes ?? 0,
    unknownSince: before?.unknownSince ?? null,
    isTold: before?.isTold ?? false,
    process: processEvidence(before && last && { ...before, at: last.at }, { ...sample, at: now() }),
  };
}

/** Loaded when it is needed: it knows all kinds of agents. */
const typing = () => import('./typing.ts');

/** Where text can be typed: a pane in which an agent runs that Holter knows. */
async function promptOf({ table, clock }: BootContext, { place }: DeaconRun): Promise<Prompt | null> {
  if (!place) return null;
  const { childrenOf, findAgent, SessionFiles } = await typing();
  const found = findAgent(table, place.pane.row.pid, childrenOf(table.rows()));
  return found && { pane: place.pane.pane, found, sessions: new SessionFiles(table, clock), clock };
}

type Done = { readonly result: string; readonly memory: Partial<BootMemory> };

async function carryOut(
  context: BootContext,
  { action, reason }: Triage,
  view: DeaconView,
  prompt: Prompt | null,
  memory: Remembered,
): Promise<Done> {
  switch (action) {
    case 'NOTHING':
      return { result: 'nothing to do', memory: {} };
    case 'NUDGE':
      return { result: (await tell(context, prompt, BOOT_CHECK_IN)).result, memory: {} };
    case 'WAKE': {
      const { isDelivered, result } = await tell(context, prompt, BOOT_WAKE);
      return { result, memory: isDelivered ? { wakes: memory.wakes + 1 } : {} };
    }
    case 'START':
    case 'RESTART': {
      if (!context.mayAct) return { result: 'left to the daemon', memory: {} };
      const incarnation = view.run?.incarnation;
      const { outcome, detail } =
        action === 'RESTART' && incarnation !== undefined
          ? await restartDeacon(context, incarnation)
          : await startDeacon(context);
      if (outcome === 'done' || outcome === 'left alone')
        return { result: `${outcome}: ${detail}`, memory: {} };
      const told = await tellOverseer(context, `${reason}. ${detail}`, memory);
      return { result: `${outcome}: ${detail}; ${told.result}`, memory: told.memory };
    }
    case 'ESCALATE':
      return tellOverseer(context, reason, memory);
  }
}

async function tell(
  { mail }: BootContext,
  prompt: Prompt | null,
  text: string,
): Promise<{ readonly isDelivered: boolean; readonly result: string }> {
  if (prompt) {
    const tried = await (await typing()).typeAtPrompt(prompt, text);
    if ('wait' in tried) return { isDelivered: false, result: `not sent: ${tried.wait}` };
    return { isDelivered: tried.outcome === 'delivered', result: `${tried.outcome}: ${tried.detail}` };
  }
  const why = await mail.nudge(text);
  return why === null
    ? { isDelivered: true, result: 'sent to its mailbox' }
    : { isDelivered: false, result: `not sent: ${why}` };
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
