import { signal } from '@preact/signals';

type Toast = { readonly id: number; readonly text: string; readonly isProblem: boolean };

/** Short messages about what became of a decision. */
export const toasts = signal<readonly Toast[]>([]);

const SHOWN_MS = 9_000;
const SHOWN_MAX = 4;
let last = 0;

export function tell(text: string, isProblem = false): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, text, isProblem }].slice(-SHOWN_MAX);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
