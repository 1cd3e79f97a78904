/** Names that people and programs give to things. They become keys of records, so the prototype's are out. */
export const AGENT_ID_PATTERN = /^[A-Za-z0-9._@:-]{1,128}$/;

/** `record['constructor']` is never undefined: such a name would find what nobody stored. */
export const isPrototypeName = (name: string): boolean => name in Object.prototype;

export const isAgentId = (value: string): boolean => AGENT_ID_PATTERN.test(value) && !isPrototypeName(value);
