import type { ComponentChildren } from 'preact';
import { messageOf } from '../state/api.ts';

type Words = {
  readonly title: string;
  readonly text?: string;
  readonly children?: ComponentChildren;
};

/** Shown instead of an empty list, with what to do next. */
export function Empty({ title, text, children }: Words) {
  return (
    <section class="message">
      <svg class="flat-line" viewBox="0 0 160 32" aria-hidden="true">
        <path d="M0 20h52l5-8 6 16 8-26 6 22 4-4h79" />
      </svg>
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </section>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      <span class="dot" aria-hidden="true" /> Loading {what}…
    </p>
  );
}

export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <p class="problem" role="alert">
      <strong>That did not work:</strong> {typeof error === 'string' ? error : messageOf(error)}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}

type Unread = {
  readonly title: string;
  readonly what: string;
  readonly problem: string | null;
  readonly retry: () => void;
};

/** A view before its first answer: it already shows its title. */
export function NotYet({ title, what, problem, retry }: Unread) {
  return (
    <>
      <h1>{title}</h1>
      {problem === null ? <Loading what={what} /> : <Problem error={problem} retry={retry} />}
    </>
  );
}
