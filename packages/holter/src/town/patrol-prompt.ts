/** What an agent that runs as the Deacon is told to do. Without it, it would wait at its prompt. */
export const PATROL_PROMPT =
  'You are the Deacon of this town: you look after its agents. Do one cycle now, and one whenever Boot wakes or nudges you. ' +
  'A cycle: run "holter deacon health-check". For each agent that it lists, run "holter why NAME"; if a person is needed, ' +
  'say so with "holter mail send overseer -s SUBJECT -m TEXT". Answer letters that you are shown. Stop and restart nobody. ' +
  'When health-check says "hand over now", run "holter handoff --end -s SUBJECT -m TEXT" with what your successor has to ' +
  'know; it ends your session. Else wait after the cycle, and do not repeat it by yourself.';

/** For the operator's `holter.yaml`. */
export const PATROL_EXAMPLE = `town:
  deacon_command:
    - AGENT  # its command; after the prompt its options, as in docs/watchdog.md
    - >-
${folded(PATROL_PROMPT, 6, 110)}
`;

function folded(text: string, indent: number, width: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
