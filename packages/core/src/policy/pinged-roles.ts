import { profileAliases } from './defaults.ts';

/** Seed 001 §1.3.2, with the other words for its roles: whoever has one of them answers pings. */
const PINGED_ROLES: ReadonlySet<string> = new Set([
  'critical-infrastructure',
  'active-development',
  'background',
  'standby',
  ...Object.keys(profileAliases),
]);

export const isPingedRole = (role: string): boolean => PINGED_ROLES.has(role);
