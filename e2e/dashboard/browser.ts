import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';

export { type Browser, type BrowserContext, chromium, expect, type Locator, type Page };

/** The script is plain JavaScript, because it runs before there is a compiler; its type is declared here. */
const packages = (await import('../../scripts/system-packages.mjs' as string)) as {
  find(name: 'chromium'): string | null;
};

/** `npm test` has found or installed a browser; a test that is run alone searches for it here. */
export const browserPath: string = process.env.HOLTER_BROWSER || packages.find('chromium') || '';
