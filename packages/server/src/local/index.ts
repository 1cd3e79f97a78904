/**
 * What a command needs to talk to a server, or to look at its folder and files, without loading the server
 * itself: database, HTTP and schemas would make every `holter status` wait for half a second.
 */

export { readDirectoryFile } from '../config/directory-file.ts';
export { type EffectiveSetting, effectiveSettings } from '../config/effective.ts';
export { findConfigFile } from '../config/files.ts';
export { type Config, type LoadedConfig, loadConfig, problemLine } from '../config/load.ts';
export { DataFolder, dataFolderPath, FIRST_ROLES, type FirstRole } from '../data-folder.ts';
export { type Client, ClientError, createClient } from '../http/client.ts';
export { isTokenOfHash } from '../http/hook-token.ts';
export type * from '../http/types.ts';
export { DEFAULT_HOST, DEFAULT_PORT } from '../listen-address.ts';
export { realClock } from '../real-clock.ts';
