import { ADAPTERS, type Adapter, adapterNamed, adapterOfProgram } from '@holter/server/adapters';

/** `auto` goes by the name of the program; `command` watches anything as a mere process. */
export const AGENT_KINDS: readonly string[] = [
  'auto',
  ...ADAPTERS.filter(({ recipe }) => recipe !== undefined).map(({ name }) => name),
  'command',
];

export const adapterFor = (kind: string, program: string): Adapter | null =>
  kind === 'auto' ? adapterOfProgram(program) : adapterNamed(kind);
