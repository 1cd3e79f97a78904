import { signal } from '@preact/signals';
import { messageOf, post } from './api.ts';
import { readSession } from './session.ts';
import { tell } from './toasts.ts';

const KEY = 'holter-name-skipped';

function wasSkipped(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** The person answered "Skip", and is not asked again in this browser. */
export const isNameSkipped = signal(wasSkipped());
/** The person wants to change the name. */
export const isRenaming = signal(false);

export function skipName(): void {
  isNameSkipped.value = true;
  isRenaming.value = false;
  try {
    localStorage.setItem(KEY, 'yes');
  } catch {
    // Without storage the answer lasts as long as the page.
  }
}

/** The session gets the name, and with it all decisions from here. */
export async function setPersonName(name: string): Promise<void> {
  try {
    await post('/v1/session', { name: name.trim() });
    isRenaming.value = false;
    await readSession();
  } catch (error) {
    tell(messageOf(error), true);
  }
}
