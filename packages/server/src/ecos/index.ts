/** The files that seed 001 keeps in a project. */
export { type Ecos, ecosFolderOf } from './ecos.ts';
export { forgetEcosEdits, readEcosEdits } from './ecos-edits.ts';
export { EcosFolderError } from './ecos-files.ts';
export { EcosKeeper } from './ecos-keeper.ts';
