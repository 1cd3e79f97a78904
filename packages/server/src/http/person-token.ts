/** `person:alice#6f1c…`, for a session of the page `page.person:alice#6f1c…`: the name is part of the token. */
export const personTokenId = (name: string | null, unique: string): string =>
  name === null ? unique : `person:${name}#${unique}`;

/** The person whom a token was made for; null for any other token. */
export const personOfToken = (tokenId: string): string | null =>
  /^(?:page\.)?person:([^#]+)#/.exec(tokenId)?.[1] ?? null;
