import type { ComponentChildren } from 'preact';

type Props = {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: string;
  /** Needs attention: shown by a sign and a border, not by colour alone. */
  readonly isBad?: boolean;
};

/** One number with its name and its meaning. */
export function Tile({ name, value, note, isBad = false }: Props) {
  return (
    <div class={isBad ? 'tile bad' : 'tile'}>
      <span class="number">
        {isBad && <span aria-hidden="true">▲ </span>}
        {value}
      </span>
      <span>
        {name}
        {isBad && <span class="hidden"> (needs attention)</span>}
      </span>
      {note !== undefined && <span class="soft">{note}</span>}
    </div>
  );
}
