import { signal } from '@preact/signals';

const KEY = 'holter-name';

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

const known = remembered();
/** The name that decisions carry; empty when none was given. */
export const personName = signal(known ?? '');
/** Whether the question for the name was answered in this browser, if only by "Skip". */
export const isNameAsked = signal(known !== null);

export function setPersonName(name: string): void {
  personName.value = name.trim();
  isNameAsked.value = true;
  try {
    localStorage.setItem(KEY, personName.value);
  } catch {
    // Without storage the name lasts as long as the page.
  }
}
