/** Reading `holter.yaml` without loading the server. */
export { ADDRESS_FORM, type DatabaseAddress, databaseAddress } from '../policy/database-address.ts';
export type { TownAgent, TownCommands } from '../policy/town-fields.ts';
export { readDirectoryFile } from './directory-file.ts';
export { type EffectiveSetting, effectiveSettings } from './effective.ts';
export { findConfigFile } from './files.ts';
export { type Config, type LoadedConfig, loadConfig, problemLine } from './load.ts';
