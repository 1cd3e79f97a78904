import type { ComponentChildren } from 'preact';

type Props = {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: string;
  /** Something that somebody should look at: said by a sign and a frame, not by colour alone. */
  readonly isBad?: boolean;
};

/** One number, what it is, and what to make of it. */
export function Tile({ name, value, note, isBad = false }: Props) {
  return (
    <div class={isBad ? 'tile bad' : 'tile'}>
      <span class="number">
        {isBad && <span aria-hidden="true">▲ </span>}
        {value}
      </span>
      <span>
        {name}
        {isBad && <span class="hidden"> (needs a look)</span>}
      </span>
      {note !== undefined && <span class="soft">{note}</span>}
    </div>
  );
}
