// `npm run pictures [-- FOLDER]`: every view of the page, light, dark and on a phone, and the states that are rarely
// seen (few agents, many, none, the server away, loading, an error), with a sheet that shows all of them.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ensure } from '../../scripts/system-packages.mjs';
import { demoStage, fleetStage } from '../page/stages.mjs';

const DEMO_SECONDS = 100;
const SETTLE_MS = 1_200;
const VIEWS = ['', 'agents/deaf-3', 'incidents', 'breakers', 'history', 'system'];
const LOOKS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 2 },
};

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
await rareStates();
await demoReady;
for (const look of Object.keys(LOOKS)) {
  const page = await opened(demo, look);
  for (const view of VIEWS) {
    await page.goto(`${demo.url}/${view}`);
    await page.locator('h1').waitFor({ state: 'attached' });
    await picture(page, `${view.replace(/\/.*/, '') || 'fleet'}-${look}`, view !== '');
  }
  if (look !== 'phone') await dialogs(page, look);
  await page.context().close();
}
const last = await opened(demo, 'light');
await demo.end();
await last.locator('.link-state.lost').waitFor();
await picture(last, 'fleet-away');
await sheet();
await browser.close();
console.log(`${taken.length} pictures, and all of them on sheet.png: ${folder}`);

async function rareStates() {
  const few = await fleetStage(3, 3);
  const page = await opened(few, 'light');
  const phone = await opened(few, 'phone');
  await picture(page, 'three-agents');
  await few.end();
  await page.locator('.link-state.lost').waitFor();
  await picture(page, 'server-away');
  await phone.locator('.link-state.lost').waitFor();
  await picture(phone, 'server-away-phone');
  await page.context().close();
  await phone.context().close();

  const many = await fleetStage(1_000, 200);
  const crowd = await opened(many, 'light');
  await wait(8_000);
  await picture(crowd, 'thousand-agents');
  await crowd.goto(`${many.url}/?q=nobody`);
  await picture(crowd, 'nobody-found');
  await crowd.route('**/v1/system', () => undefined);
  await crowd.goto(`${many.url}/system`);
  await picture(crowd, 'loading');
  await crowd.unroute('**/v1/system');
  const error = { error: { code: 'internal', message: 'the store does not answer' } };
  await crowd.route('**/v1/system', (route) => route.fulfill({ status: 500, json: error }));
  await crowd.goto(`${many.url}/system`);
  await picture(crowd, 'error');
  await crowd.goto(`${many.url}/agents/who-is-that`);
  await picture(crowd, 'no-such-agent');
  await many.end();

  const none = await fleetStage(0, 0);
  const empty = await opened(none, 'light');
  await picture(empty, 'empty');
  for (const view of ['incidents', 'breakers', 'history']) {
    await empty.goto(`${none.url}/${view}`);
    await picture(empty, `${view}-empty`);
  }
  const stranger = await (await browser.newContext(LOOKS.light)).newPage();
  await stranger.goto(none.url);
  await picture(stranger, 'log-in');
  await none.end();
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
