/** A witness, a refinery, or any other agent whose session the daemon keeps running. */
export type MemberLink = `agent:${string}`;

/** What the daemon watches by itself, with or without a server. */
export type LinkName = 'server' | 'deacon' | 'boot' | MemberLink;

export const memberLink = (name: string): MemberLink => `agent:${name}`;

/** The only executor of their effects. */
export const CHAIN_EXECUTOR = 'daemon';
export const CHAIN_GROUP = 'chain';
