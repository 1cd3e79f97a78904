/** Reading `holter.yaml` without loading the server. */
export { readDirectoryFile } from './directory-file.ts';
export { type EffectiveSetting, effectiveSettings } from './effective.ts';
export { findConfigFile } from './files.ts';
export { type Config, type LoadedConfig, loadConfig, problemLine } from './load.ts';
