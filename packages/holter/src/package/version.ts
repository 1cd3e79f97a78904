import { createRequire } from 'node:module';

/** The version from package.json, which is two folders above both the source and the built file. */
const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

export const { version } = manifest;
