const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['↑ ↓  j k', 'move; PgUp, PgDn, Home and End too'],
  ['Enter', 'open the agent, or the ticket'],
  ['Esc', 'back; ends a filter'],
  ['/', 'show only agents whose id, role or group contains a text'],
  ['f', 'fleet: who needs you, then the worst'],
  ['i', 'open incidents'],
  ['t', 'tickets of the judge'],
  ['b', 'breakers that are not closed'],
  ['d', 'decide about the selected agent, incident or breaker'],
  ['Ctrl+Q', 'triage of the newest ticket; there:'],
  ['  y n', '  it was useful, it was a false alarm'],
  ['  a', '  your coding agent, with the ticket (top.triage_command in holter.yaml)'],
  ['x', 'dismiss the notice on top'],
  ['?', 'this help'],
  ['q  Ctrl+C', 'quit'],
];

export const HELP_LINES: readonly string[] = KEYS.map(([keys, does]) => `  ${keys.padEnd(12)}${does}`);
