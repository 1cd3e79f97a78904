/** One command of a story, as words and `key=value` pairs. */
export type Words = { readonly rest: readonly string[]; readonly fields: Readonly<Record<string, string>> };

export function wordsOf(line: string): Words {
  const rest: string[] = [];
  const fields: Record<string, string> = {};
  for (const word of line.split(/\s+/).slice(1)) {
    const [, key, value] = /^([a-z-]+)=(.*)$/i.exec(word) ?? [];
    if (key !== undefined && value !== undefined) fields[key] = value;
    else rest.push(word);
  }
  return { rest, fields };
}

export const nameOf = (rest: readonly string[]): string => {
  const name = rest[0];
  if (!name) throw new Error('name the agent');
  return name;
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function durationOf(text: string | undefined): number {
  const [, amount, unit = ''] = /^([\d.]+)(ms|s|m|h)$/.exec(text ?? '') ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined)
    throw new Error(`"${text}" is no duration; write 90s, 15m or 2h`);
  return Number(amount) * factor;
}
