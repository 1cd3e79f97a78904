import type { ComponentChildren } from 'preact';

type Props = { readonly name: string; readonly children: ComponentChildren };

/** A table that may be wider than the screen. Who has no mouse scrolls it with the arrow keys. */
export function Scroll({ name, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
