import type { ComponentChildren } from 'preact';

type Props = {
  readonly name: string;
  /** A heading for each column. */
  readonly columns: readonly ComponentChildren[];
  readonly look?: string;
  /** The rows. */
  readonly children: ComponentChildren;
};

/** May be wider than the screen; it can be scrolled with the arrow keys. */
export function Table({ name, columns, look = 'plain', children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={name}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th scope="col" key={index}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
