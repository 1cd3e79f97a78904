/** The box of the person who is told what the watchdog chain can't repair. No agent can have this name. */
export const OVERSEER = 'overseer';
const DEACON = 'deacon';

/** These boxes exist from the start: letters must not be lost because their reader has not been started yet. */
export const isStanding = (name: string): boolean => name === OVERSEER || name === DEACON;

/** The Deacon is also written to by the name of its session. */
export const boxNameOf = (name: string): string => (name === `hq-${DEACON}` ? DEACON : name);
