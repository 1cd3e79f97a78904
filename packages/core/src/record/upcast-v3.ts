type Json = Readonly<Record<string, unknown>>;
type HoldOfV2 = Json & { readonly kind: string; readonly since: number };

export const agentOfV2 = ({ spawnKey: _guessable, ...hard }: Json): Json => withReporter(withOwnWords(hard));

/** The key of a start could be guessed; without it, the next claim makes another one. */
export function effectOfV2({ key: _guessable, ...effect }: Json): Json {
  return effect;
}

export function eventOfV2(event: Json): Json {
  if (event.type !== 'AGENT_REGISTERED') return event;
  const { spawnKey: _guessable, ...payload } = event.payload as Json;
  return { ...event, payload };
}

/** In version 2, a hold did not say who declared it. Nearly all were declared by the agent itself. */
function withOwnWords(hard: Json): Json {
  const holds = hard.holds as readonly HoldOfV2[] | undefined;
  if (!holds || holds.length === 0) return hard;
  const own = holds.filter(isOwnWord);
  if (own.length === 0) return hard;
  return {
    ...hard,
    holds: holds.map((hold) => (isOwnWord(hold) ? { ...hold, isOwnWord: true } : hold)),
    ownHolds: { since: Math.min(...own.map(({ since }) => since)) },
  };
}

const isOwnWord = ({ kind }: HoldOfV2): boolean => kind !== 'in-tool' && kind !== 'paused-by-operator';

/** In version 2, an agent that reports by hooks was known only by what its first hook registered it with. */
function withReporter(hard: Json): Json {
  const { can, executor, mode } = hard;
  const isByHooks = executor === null && mode === 'nudge' && String(can) === 'nudge,deny-call';
  return isByHooks ? { ...hard, reporter: {} } : hard;
}

/** In version 2, all groups shared every budget. */
export function fleetOfV2({ budgets, ...fleet }: Json): Json {
  return { ...fleet, budgets: { common: budgets, shares: {} } };
}
