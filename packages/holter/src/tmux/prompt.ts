import type { Clock } from '@holter/server/process';
import type { Outcome } from '../run/effect-loop.ts';
import { nullIfGone, TmuxSilent } from './control-client.ts';
import type { FoundAgent } from './find-agent.ts';
import { isAtPrompt, whyNotNudge, whyNotSent } from './nudge-gate.ts';
import { agoOf } from './pane-row.ts';
import { readScreen, type Screen } from './screen.ts';
import type { SessionFiles } from './session-files.ts';
import type { Pane } from './tmux-server.ts';
import { type Typist, typingAlone } from './typing-lock.ts';

/** Some agents take an Enter that comes sooner for a part of the pasted text. */
const ENTER_AFTER_MS = 700;
const SENT_WITHIN_MS = 6_000;
const SENT_LOOK_MS = 500;

/** The prompt of an agent in a pane. */
export type Prompt = {
  readonly pane: Pick<Pane, 'paneId' | 'look' | 'screen' | 'tell' | 'paste'>;
  readonly found: FoundAgent;
  readonly sessions: Pick<SessionFiles, 'of'>;
  readonly clock: Clock;
  readonly typist: Typist;
};

type PromptView = {
  /** Whether an agent may still run in its pane. */
  readonly isOpen: boolean;
  readonly screen: Screen;
  /** It waits for the answer of a person. */
  readonly isAsking: boolean;
  /** Why nothing may be typed now; null if it may. */
  readonly why: string | null;
  /** The same without regard to what stands at the prompt: something else than our own text is in the way. */
  readonly disturbance: string | null;
};

/** A try that has to wait gives its reason. */
export type Tried = Outcome | { readonly wait: string };

/** Throws `TmuxSilent` if nothing can be seen. */
export async function seePrompt(
  { pane, found, sessions, clock }: Omit<Prompt, 'typist'>,
  mayInterrupt = false,
): Promise<PromptView> {
  const seen = await pane.look().catch(nullIfGone);
  const lines = seen ? await pane.screen() : [];
  const screen = readScreen(found.adapter.screen, lines, seen?.title ?? '');
  const file = await sessions.of(found);
  const status = file === undefined ? undefined : (file?.status ?? null);
  const typedMsAgo = agoOf(seen?.typedAt ?? null, clock.now());
  const facts = { pane: seen, screen, status, typedMsAgo, mayInterrupt };
  return {
    isOpen: seen !== null && !seen.dead,
    screen,
    isAsking: screen.state === 'asking' || status === 'waiting',
    why: whyNotNudge(facts),
    disturbance: whyNotNudge({ ...facts, screen: { state: 'idle', typed: '' } }),
  };
}

/** Pastes one line at an empty prompt, sends it, and verifies that it was sent. */
export async function typeAtPrompt(prompt: Prompt, text: string, mayInterrupt = false): Promise<Tried> {
  const why = await whyWait(prompt, mayInterrupt);
  if (why !== null) return { wait: why };
  const typed = await typingAlone(prompt.pane, prompt.typist, () => typeNow(prompt, text, mayInterrupt));
  return typed ?? { wait: 'another process of Holter types in its pane' };
}

async function typeNow(prompt: Prompt, text: string, mayInterrupt: boolean): Promise<Tried> {
  const { pane, clock } = prompt;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  // Another process may have typed since.
  const why = await whyWait(prompt, mayInterrupt);
  if (why !== null) return { wait: why };
  await pane.paste(text);
  await pause(ENTER_AFTER_MS);
  const pasted = await seePrompt(prompt, mayInterrupt);
  if (!isAtPrompt(pasted.screen, text))
    return { outcome: 'unknown', detail: 'pasted, but it does not stand at the prompt; not sent' };
  // The text itself makes the prompt look used; whatever else has changed, a person must look.
  if (pasted.disturbance !== null)
    return { outcome: 'unknown', detail: `pasted, and not sent: ${pasted.disturbance}` };
  await pane.tell('send-keys', 'Enter');
  for (const deadline = clock.now() + SENT_WITHIN_MS; ; ) {
    await pause(SENT_LOOK_MS);
    const sent = await seePrompt(prompt, mayInterrupt);
    const doubt = whyNotSent({ ...sent, wasBusy: mayInterrupt }, text);
    if (doubt === null) return deliveredTo(prompt, sent, mayInterrupt);
    if (clock.now() >= deadline) return { outcome: 'unknown', detail: `sent, but ${doubt}` };
  }
}

async function deliveredTo({ pane }: Prompt, sent: PromptView, mayInterrupt: boolean): Promise<Outcome> {
  const isBusy = sent.screen.state === 'busy';
  const isHung = isBusy && mayInterrupt;
  if (isHung && sent.disturbance === null) {
    await pane.tell('send-keys', 'Escape');
    return { outcome: 'delivered', detail: 'sent at its prompt, and Escape cancelled what hung' };
  }
  if (isHung)
    return { outcome: 'delivered', detail: `sent at its prompt, without Escape: ${sent.disturbance}` };
  return {
    outcome: 'delivered',
    detail: `sent at its prompt, ${isBusy ? 'and it works' : 'which is empty again'}`,
  };
}

async function whyWait(prompt: Prompt, mayInterrupt: boolean): Promise<string | null> {
  try {
    return (await seePrompt(prompt, mayInterrupt)).why;
  } catch (error) {
    if (error instanceof TmuxSilent) return error.message;
    throw error;
  }
}
