import { isAgentId } from '@holter/core';
import type { Table, Values } from './check.ts';
import { agentName, argv, mapOf, optional, pathOf } from './readers.ts';

/** What the watchdog chain of a town starts. Only the operator's file may name programs. */
export type TownCommands = {
  /** The tmux socket of the town; null for the one that tmux uses. */
  readonly socket: string | null;
  /** The agent that patrols in the session `hq-deacon`; null for Holter's own patrol. */
  readonly deacon: readonly string[] | null;
  /** What decides in the place of the rules; null for the rules. */
  readonly boot: readonly string[] | null;
  /** Agents whose sessions the daemon keeps running, by the name of the session. */
  readonly agents: ReadonlyMap<string, TownAgent>;
};

export type TownAgent = { readonly command: readonly string[]; readonly group: string };

const AGENT_FIELDS = { command: argv, group: agentName } as const satisfies Table;

export const TOWN_FIELDS = {
  'town.socket': optional(pathOf('file')),
  'town.deacon_command': optional(argv),
  'town.boot_command': optional(argv),
  // tmux reads a dot and a colon in the name of a session as the beginning of something else.
  'town.agents': mapOf(
    AGENT_FIELDS,
    (name) => isAgentId(name) && !/[.:]/.test(name),
    'the name of a session (1 to 128 of A-Z a-z 0-9 _ @ -)',
  ),
} as const satisfies Table;

type TownSettings = Values<typeof TOWN_FIELDS>;

export const townDefaults: TownSettings = {
  'town.socket': null,
  'town.deacon_command': null,
  'town.boot_command': null,
  'town.agents': new Map(),
};

export const buildTown = (settings: TownSettings): TownCommands => ({
  socket: settings['town.socket'],
  deacon: settings['town.deacon_command'],
  boot: settings['town.boot_command'],
  agents: new Map(
    [...settings['town.agents']].flatMap(([name, { values }]) => {
      const { command, group = 'default' } = values;
      return command ? [[name, { command, group }]] : [];
    }),
  ),
});
