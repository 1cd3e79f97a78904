const MILLION = 1_000_000;

/**
 * Tokens that fit into the model's context. A transcript does not say which window was chosen, so the largest
 * is taken where there are two: a context is rather called too empty than full by mistake.
 */
export const windowOf = (model: string): number => (/haiku|claude-3/.test(model) ? 200_000 : MILLION);
