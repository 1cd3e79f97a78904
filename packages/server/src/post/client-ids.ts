/** How the client ids begin that Holter itself gives to letters. Nobody else can choose such an id. */
export const OWN_CLIENT_IDS = {
  ping: 'ping ',
  directive: 'directive ',
  offline: 'offline-',
  unverified: 'unverified ',
} as const;

export const isOwnClientId = (clientId: string): boolean =>
  Object.values(OWN_CLIENT_IDS).some((beginning) => clientId.startsWith(beginning));

/** A letter whose id is taken is not stored, so a sender without a token takes none from those who have one. */
export const clientIdOf = (chosen: string | null, isVerified: boolean): string | null =>
  chosen === null || isVerified ? chosen : `${OWN_CLIENT_IDS.unverified}${chosen}`;
