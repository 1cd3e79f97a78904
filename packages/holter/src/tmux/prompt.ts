import type { Clock } from '@holter/server/process';
import type { Outcome } from '../run/effect-loop.ts';
import { nullIfGone, TmuxSilent } from './control-client.ts';
import type { FoundAgent } from './find-agent.ts';
import { isAtPrompt, whyNotNudge } from './nudge-gate.ts';
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
  readonly pane: Pane;
  readonly found: FoundAgent;
  readonly sessions: SessionFiles;
  readonly clock: Clock;
  readonly typist: Typist;
};

type PromptView = {
  readonly screen: Screen;
  /** It waits for the answer of a person. */
  readonly isAsking: boolean;
  /** Why nothing may be typed now; null if it may. */
  readonly why: string | null;
  /** The same without regard to what stands at the prompt: something else than our own text is in the way. */
  readonly isDisturbed: boolean;
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
  const beside = whyNotNudge({ ...facts, screen: { state: 'idle', typed: '' } });
  return {
    screen,
    isAsking: screen.state === 'asking' || status === 'waiting',
    why: whyNotNudge(facts),
    isDisturbed: beside !== null,
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
  if (pasted.isDisturbed)
    return { outcome: 'unknown', detail: 'pasted, and not sent: something else happened' };
  await pane.tell('send-keys', 'Enter');
  for (const deadline = clock.now() + SENT_WITHIN_MS; clock.now() < deadline; ) {
    await pause(SENT_LOOK_MS);
    const sent = await seePrompt(prompt, mayInterrupt);
    if (isAtPrompt(sent.screen, text)) continue;
    if (mayInterrupt && sent.screen.state === 'busy' && !sent.isDisturbed) {
      await pane.tell('send-keys', 'Escape');
      return { outcome: 'delivered', detail: 'sent at its prompt, and Escape cancelled what hung' };
    }
    return { outcome: 'delivered', detail: 'sent at its prompt, which is empty again' };
  }
  return { outcome: 'unknown', detail: 'sent, but it still stands at the prompt' };
}

async function whyWait(prompt: Prompt, mayInterrupt: boolean): Promise<string | null> {
  try {
    return (await seePrompt(prompt, mayInterrupt)).why;
  } catch (error) {
    if (error instanceof TmuxSilent) return error.message;
    throw error;
  }
}
