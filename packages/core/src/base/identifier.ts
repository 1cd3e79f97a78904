/** Identifiers become keys of records, so names of prototype properties are not allowed. */
export const AGENT_ID_PATTERN = /^[A-Za-z0-9._@:-]{1,128}$/;

/** `record['constructor']` is never undefined, so such a name would find a value that was never stored. */
export const isPrototypeName = (name: string): boolean => name in Object.prototype;

export const isAgentId = (value: string): boolean => AGENT_ID_PATTERN.test(value) && !isPrototypeName(value);
