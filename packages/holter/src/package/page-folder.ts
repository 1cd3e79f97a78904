import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built page lies; it is part of the package. A clone that was never built has none yet. */
export const pageFolder = (): string =>
  dirname(fileURLToPath(import.meta.resolve('@holter/dashboard/page/index.html')));
