import type { ComponentChildren } from 'preact';
import { go } from '../state/route.ts';

type Props = {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  /** For screen readers, where what is shown is cut. */
  readonly label?: string;
  readonly children: ComponentChildren;
};

/** A real link, so that it can be opened in another tab; a plain click stays in the page. */
export function Link({ to, class: className, current, label, children }: Props) {
  return (
    <a
      href={to}
      {...(className !== undefined && { class: className })}
      {...(label !== undefined && { 'aria-label': label })}
      {...(current && { 'aria-current': 'page' as const })}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        event.stopPropagation();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
