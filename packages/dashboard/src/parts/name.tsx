/** Ends of names tell agents apart more often than their middles. */
const TAIL = 7;

/** A long name is cut in the middle; its title has the whole. */
export function Name({ children: name }: { readonly children: string }) {
  const cut = Math.max(0, name.length - TAIL);
  return (
    <span class="name" title={name}>
      <span>{name.slice(0, cut)}</span>
      <span>{name.slice(cut)}</span>
    </span>
  );
}
