type Json = Readonly<Record<string, unknown>>;
type HoldOfV2 = Json & { readonly kind: string };

/** In version 2, a hold did not say who declared it. Nearly all were declared by the agent itself. */
export function agentOfV2(hard: Json): Json {
  const holds = hard.holds as readonly HoldOfV2[] | undefined;
  if (!holds || holds.length === 0) return hard;
  return { ...hard, holds: holds.map((hold) => (isOwnWord(hold) ? { ...hold, isOwnWord: true } : hold)) };
}

const isOwnWord = ({ kind }: HoldOfV2): boolean => kind !== 'in-tool' && kind !== 'paused-by-operator';
