import { createRequire } from 'node:module';

/** The version of the package, whose manifest lies above both sources and build. */
const manifest = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

export const { version } = manifest;
