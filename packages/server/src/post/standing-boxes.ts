/** The box of the person who is told what the watchdog chain can't repair. No agent can have this name. */
export const OVERSEER = 'overseer';
const DEACON = 'deacon';
/** The box of the daemon of a town. */
export const DAEMON = 'daemon';

/** These boxes exist from the start: letters must not be lost because their reader has not been started yet. */
export const isStanding = (name: string): boolean => name === OVERSEER || name === DEACON;

/** Names of the watchdog chain: what is written to them is for nobody without a token. */
export const isReserved = (name: string): boolean => name === DAEMON || isStanding(boxNameOf(name));

/** The Deacon is also written to by the name of its session. */
export const boxNameOf = (name: string): string => (name === `hq-${DEACON}` ? DEACON : name);
