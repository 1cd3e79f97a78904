import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

export { type Browser, type BrowserContext, chromium, expect, type Page };

/** Plain JavaScript, because it runs before there is a compiler; so its type is said here. */
const packages = (await import('../../scripts/system-packages.mjs' as string)) as {
  find(name: 'chromium'): string | null;
};

/** `npm test` has looked for one, and installed it if it could; a single test looks for itself. */
export const browserPath: string = process.env.HOLTER_BROWSER || packages.find('chromium') || '';
