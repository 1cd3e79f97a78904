import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** The browser's own dialog: it keeps the focus, and Escape closes it. */
export function Dialog({ title, onClose, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  // Before anything else happens: what a person types at once belongs to the dialog, and is no key of the page.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    box.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={box} onClose={onClose} aria-labelledby="dialog-title">
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="quiet" onClick={onClose} aria-label="Close">
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}
