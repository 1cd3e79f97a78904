import type { SessionView } from '@holter/server/wire';
import { signal } from '@preact/signals';
import { forgetAnswers } from './answers.ts';
import { ApiError, get, isLoggedOut, messageOf, post } from './api.ts';
import { serverSaid } from './clock.ts';

export const session = signal<SessionView | null>(null);
/** Why the log-in link did not work. */
export const loginProblem = signal<string | null>(null);
export const isOpening = signal(true);

export const mayDecide = (): boolean => session.value !== null && session.value.role !== 'viewer';

const RETRY_MS = 1_500;

export async function openSession(): Promise<void> {
  // A link that is pasted into an open tab changes only the fragment, and loads nothing.
  window.addEventListener('hashchange', () => {
    if (location.hash !== '') void logIn();
  });
  await logIn();
}

/**
 * Reads the secret from the address's fragment, which browsers do not send to servers, and removes it from the
 * address immediately, even if the log-in fails.
 */
async function logIn(): Promise<void> {
  const secret = /^#login=([A-Za-z0-9._~-]+)$/.exec(location.hash)?.[1];
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  if (secret !== undefined) {
    try {
      await post('/v1/login', { secret });
    } catch (error) {
      loginProblem.value = messageOf(error);
    }
  }
  await readSession();
  isOpening.value = false;
}

export async function readSession(): Promise<void> {
  try {
    const found = await get<SessionView>('/v1/session');
    serverSaid(found.at, found.demoSpeed ?? 1);
    session.value = found;
    loginProblem.value = null;
    isLoggedOut.value = false;
  } catch (error) {
    const isKnown = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (isKnown) session.value = null;
    // The server may be starting: the known session stays, and the request is repeated.
    else if (session.value === null) {
      loginProblem.value = messageOf(error);
      setTimeout(() => void readSession(), RETRY_MS);
    }
  }
}

export async function endSession(): Promise<void> {
  await post('/v1/logout', {}).catch(() => undefined);
  session.value = null;
  isLoggedOut.value = true;
  forgetAnswers();
}
