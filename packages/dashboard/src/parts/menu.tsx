import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Props = { readonly label: string; readonly about: string; readonly children: ComponentChildren };

/** Opens below its button; closes by a choice, Escape, or a click elsewhere. */
export function Menu({ label, about, children }: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const { current } = box;
      if (!current?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        current.querySelector('summary')?.focus();
      } else if (event.target instanceof Node && current.contains(event.target)) return;
      current.open = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close, true);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close, true);
    };
  }, []);
  return (
    <details class="menu" ref={box}>
      <summary aria-label={`${label}: ${about}`}>{label}</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click on one of its buttons has bubbled up */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click too */}
      <div
        class="menu-list"
        onClick={() => {
          if (box.current) box.current.open = false;
        }}
      >
        {children}
      </div>
    </details>
  );
}
