import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { go } from './route.ts';

export const isHelpOpen = signal(false);

type Press = (event: KeyboardEvent) => void;
const bound = new Map<string, Press>();

/**
 * Binds keys while a view is shown. They are bound before the view is painted: an ordinary effect runs later, and a
 * key pressed in between would get its meaning from the view before.
 */
export function useKeys(keys: Readonly<Record<string, Press>>): void {
  useLayoutEffect(() => {
    for (const [key, press] of Object.entries(keys)) bound.set(key, press);
    return () => {
      for (const [key, press] of Object.entries(keys)) if (bound.get(key) === press) bound.delete(key);
    };
  }, []);
}

const everywhere: Readonly<Record<string, Press>> = {
  '?': () => {
    isHelpOpen.value = true;
  },
  '1': () => go('/'),
  '2': () => go('/incidents'),
  '3': () => go('/breakers'),
  '4': () => go('/history'),
  '5': () => go('/system'),
  '6': () => go('/cost'),
};

/** Key bindings do not apply while the user types into a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Escape leaves a field; a search is also cleared. */
function leave(field: HTMLElement): void {
  if (field instanceof HTMLInputElement && field.type === 'search' && field.value !== '') {
    field.value = '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  field.blur();
}

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && isTyping(event.target)) leave(event.target as HTMLElement);
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const press = bound.get(event.key) ?? everywhere[event.key];
    if (!press) return;
    event.preventDefault();
    press(event);
  });
}
