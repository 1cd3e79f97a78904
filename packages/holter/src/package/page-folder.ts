import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the built page, which is part of the package. It is missing in a clone that was not built. */
export const pageFolder = (): string =>
  dirname(fileURLToPath(import.meta.resolve('@holter/dashboard/page/index.html')));
