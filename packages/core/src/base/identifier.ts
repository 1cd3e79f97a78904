/** Identifiers become keys of records, so names of prototype properties are not allowed. */
export const AGENT_ID_PATTERN = /^[A-Za-z0-9._@:-]{1,128}$/;

/** A set, because `name in Object.prototype` would make every new name a property key first, which is slow. */
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** `record['constructor']` is never undefined, so such a name would find a value that was never stored. */
export const isPrototypeName = (name: string): boolean => PROTOTYPE_NAMES.has(name);

export const isAgentId = (value: string): boolean => AGENT_ID_PATTERN.test(value) && !isPrototypeName(value);
