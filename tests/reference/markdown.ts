/** A table; what would break it is escaped. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim();

export const code = (text: string): string => `\`${text}\``;

/** A link to another page of the reference. */
export const link = (title: string, name: string): string => `[${title}](${name}.md)`;

/** A page of the reference. */
export const page = (title: string, source: string, ...parts: readonly string[]): string =>
  `${[
    `# ${title}`,
    `This page is generated from ${source}; \`npm run docs:generate\` writes it, and \`npm test\` checks that it is current.`,
    ...parts,
  ].join('\n\n')}\n`;
