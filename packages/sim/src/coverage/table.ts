import { type Counts, keyOf } from './counts.ts';
import { type Hole, neverHappened, unlisted } from './holes.ts';
import { POSSIBLE } from './possible.ts';

const WIDTH = 110;

/** How often each thing was exercised, then what never was and why. */
export function coverageTable(counts: Counts): string {
  const holes = neverHappened(counts);
  const sections = Object.entries(POSSIBLE).map(([section, items]) => sectionOf(section, items, counts));
  const explained = holes.filter(({ because }) => because !== null);
  const open = holes.filter(({ because }) => because === null);
  const odd = unlisted(counts);
  return [
    ...sections,
    ...(explained.length > 0 ? ['never, for a reason', ...groupedByReason(explained)] : []),
    ...(open.length > 0 ? ['never, and nobody knows why', ...open.map(nameOf)] : []),
    ...(odd.length > 0 ? ['happened, but stands in no list', ...odd.map((key) => `  ${key}`)] : []),
  ].join('\n');
}

function sectionOf(section: string, items: readonly string[], counts: Counts): string {
  const seen = items.filter((item) => counts[keyOf(section, item)]);
  const cells = seen.map(
    (item) => `${item} ${(counts[keyOf(section, item)] as number).toLocaleString('en-US')}`,
  );
  return [`${section} (${seen.length} of ${items.length})`, ...inLines(cells)].join('\n');
}

/** As many as fit into a line, each whole. */
function inLines(cells: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const cell of cells) {
    const longer = line === '' ? `  ${cell}` : `${line}, ${cell}`;
    if (longer.length <= WIDTH || line === '') line = longer;
    else {
      lines.push(`${line},`);
      line = `  ${cell}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function groupedByReason(holes: readonly Hole[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { section, item, because } of holes) {
    const reason = because ?? '';
    reasons.set(reason, [...(reasons.get(reason) ?? []), keyOf(section, item)]);
  }
  return [...reasons].flatMap(([reason, items]) => [
    `  ${reason}`,
    ...inLines(items).map((line) => `  ${line}`),
  ]);
}

const nameOf = ({ section, item }: Hole): string => `  ${keyOf(section, item)}`;
