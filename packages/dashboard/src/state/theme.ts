import { signal } from '@preact/signals';

type Theme = 'auto' | 'light' | 'dark';

const KEY = 'holter-theme';

const isTheme = (text: string | null): text is Theme =>
  text === 'auto' || text === 'light' || text === 'dark';

function remembered(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return isTheme(text) ? text : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(remembered());
/** Grows when the colours have changed, so that canvases are drawn again. */
export const paint = signal(0);

const order: readonly Theme[] = ['auto', 'light', 'dark'];

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'auto';
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
  paint.value += 1;
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  paint.value += 1;
});
