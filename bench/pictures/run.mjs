// `npm run pictures [-- FOLDER [--demo]]`: every view of the page, light, dark and on a phone, and the states that are rarely
// seen (no, few, many agents, the server away, loading, an error), with a sheet that shows all of them. `--demo` leaves the
// rare states out.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ensure } from '../../scripts/system-packages.mjs';
import { demoStage, fleetStage } from '../page/stages.mjs';
import { writeTickets } from './tickets.mjs';

const DEMO_SECONDS = 100;
const SETTLE_MS = 1_200;
const VIEWS = ['', 'agents/deaf-3', 'incidents', 'breakers', 'history', 'system', 'cost'];
/** Those that change with the number of agents. */
const SIZED_VIEWS = ['incidents', 'breakers', 'history', 'system', 'cost'];
/** Agents and changes a second. */
const SIZES = [
  [0, 0],
  [3, 3],
  [30, 30],
  [1_000, 200],
];
/** Until the strips of a fleet show something. */
const FLEET_MS = 8_000;
const LOOKS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 2 },
};

const isDemoOnly = process.argv.includes('--demo');
const folder = process.argv[2] ? resolve(process.argv[2]) : mkdtempSync(join(tmpdir(), 'holter-pictures-'));
mkdirSync(folder, { recursive: true });
const executablePath = ensure('chromium');
if (!executablePath) process.exit(1);
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
const taken = [];

const demo = await demoStage();
const demoReady = wait(DEMO_SECONDS * 1_000);
if (!isDemoOnly) await rareStates();
await demoReady;
await writeTickets(demo);
for (const look of Object.keys(LOOKS)) {
  const page = await opened(demo, look);
  for (const view of VIEWS) {
    await page.goto(`${demo.url}/${view}`);
    await page.locator('h1').waitFor({ state: 'attached' });
    await page.locator('.loading').waitFor({ state: 'detached' });
    await picture(page, `${view.replace(/\/.*/, '') || 'fleet'}-${look}`, view !== '');
  }
  if (look !== 'phone') await dialogs(page, look);
  await page.context().close();
}
const last = await Promise.all(Object.keys(LOOKS).map(async (look) => [look, await opened(demo, look)]));
await demo.end();
for (const [look, page] of last) {
  await page.locator('.link-state.lost').waitFor();
  await picture(page, `server-away-${look}`);
}
await sheet();
await browser.close();
console.log(`${taken.length} pictures, and all of them on sheet.png: ${folder}`);

async function rareStates() {
  for (const [agents, perSecond] of SIZES) {
    const stage = await fleetStage(agents, perSecond);
    const pages = [];
    for (const look of Object.keys(LOOKS)) pages.push([look, await opened(stage, look)]);
    if (agents > 0) await wait(FLEET_MS);
    for (const [look, page] of pages) {
      await picture(page, `${agents}-agents-${look}`);
      for (const view of SIZED_VIEWS) {
        await page.goto(`${stage.url}/${view}`);
        await page.locator('.loading').waitFor({ state: 'detached' });
        await picture(page, `${agents}-${view}-${look}`);
      }
    }
    if (agents === 0) await strangers(stage);
    if (agents === 3) await brokenViews(stage, pages[0][1]);
    for (const [, page] of pages) await page.context().close();
    await stage.end();
  }
}

async function strangers({ url }) {
  const stranger = await (await browser.newContext(LOOKS.light)).newPage();
  await stranger.goto(url);
  await picture(stranger, 'log-in');
  await stranger.context().close();
}

async function brokenViews({ url }, page) {
  await page.goto(`${url}/?q=nobody`);
  await picture(page, 'nobody-found');
  await page.route('**/v1/system', () => undefined);
  await page.goto(`${url}/system`);
  await picture(page, 'loading');
  await page.unroute('**/v1/system');
  const error = { error: { code: 'internal', message: 'the store does not answer' } };
  await page.route('**/v1/system', (route) => route.fulfill({ status: 500, json: error }));
  await page.goto(`${url}/system`);
  await picture(page, 'error');
  await page.goto(`${url}/agents/who-is-that`);
  await picture(page, 'no-such-agent');
}

async function dialogs(page, look) {
  await page.keyboard.press('?');
  await picture(page, `help-${look}`);
}

async function opened({ url, token }, look) {
  const answer = await fetch(`${url}/v1/login-secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const page = await (await browser.newContext(LOOKS[look])).newPage();
  await page.goto(`${url}${(await answer.json()).path}`);
  await page.locator('.link-state.live').waitFor();
  return page;
}

async function picture(page, name, fullPage = false) {
  await wait(SETTLE_MS);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
  taken.push(name);
}

/** One page with all pictures, to compare them. */
async function sheet() {
  const figures = taken.map(
    (name) => `<figure><img src="${name}.png"><figcaption>${name}</figcaption></figure>`,
  );
  const style =
    'body{margin:16px;font:13px sans-serif;display:grid;grid-template-columns:repeat(5,1fr);gap:16px}figure{margin:0}img{width:100%;height:260px;object-fit:cover;object-position:top left;border:1px solid #999}';
  const file = join(folder, 'sheet.html');
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join('')}`);
  const page = await browser.newPage({ viewport: { width: 1800, height: 1000 } });
  await page.goto(pathToFileURL(file).href);
  await page.screenshot({ path: join(folder, 'sheet.png'), fullPage: true });
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
