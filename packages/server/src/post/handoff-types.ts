const TYPES: ReadonlySet<unknown> = new Set(['emergency-handoff', 'replacement-handoff']);

/** A letter that passes the work of a failed agent on. */
export const isHandoff = ({ type }: { readonly type?: unknown }): boolean => TYPES.has(type);
