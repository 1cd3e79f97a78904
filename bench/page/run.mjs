// `npm run bench:page [-- --minutes 10]`: the page with 10,000 agents and 1,000 changes a second, beside the same
// page with 10. Time to the first useful paint (a row with its strip), long tasks, and memory over the given minutes;
// for the first half minute also what each task took of the page's own CPU time.

import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ensure } from '../../scripts/system-packages.mjs';
import { fleetStage } from './stages.mjs';
import { tasksOf } from './tasks.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '0.5' } } });
const minutes = Number(values.minutes);
const TRACED_MINUTES = 0.5;
const OPENINGS = 11;
/** After ten thousand registrations the server is busy for a moment, which must not count for the page. */
const SETTLE_MS = 2_000;
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--enable-precise-memory-info',
];

const executablePath = ensure('chromium');
if (!executablePath) process.exit(1);
const browser = await chromium.launch({ executablePath, args: FLAGS });

// Both servers run at the same time and are opened in turns, so that other load affects both.
const small = await opened(10);
const large = await opened(10_000);
for (let i = 0; i < OPENINGS; i += 1) for (const fleet of [small, large]) await openAgain(fleet);
await closed(small);
const { memory, traced } = await live(large.page, minutes);
const { tasks, messages } = await large.page.evaluate('({ tasks: window.tasks, messages: window.messages })');
await closed(large);
await browser.close();

console.table([
  row('first useful paint, 10 agents', `${paintOf(small)} ms`, ''),
  row('first useful paint, 10,000 agents', `${paintOf(large)} ms`, ''),
  row('ratio', (paintOf(large) / paintOf(small)).toFixed(2), '≤ 1.5'),
  row(`long tasks > 100 ms in ${minutes} min`, tasks.filter((ms) => ms > 100).length, '0'),
  row('longest task', `${Math.round(Math.max(0, ...tasks))} ms`, ''),
  row('first half minute: most CPU time in a task', `${longestBy('cpuMs').cpuMs} ms`, ''),
  row('… and CPU time of the longest one', inWords(longestBy('wallMs')), ''),
  row('messages in that time', messages, ''),
  row('memory after 1/4, 1/2, 3/4, all of it', memory.map((mb) => `${mb} MB`).join(', '), 'flat'),
]);
console.log(
  `Chromium ${browser.version()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load average ${loadavg()[0].toFixed(1)}`,
);

function row(what, measured, goal) {
  return { what, measured, goal };
}

function longestBy(what) {
  const { wallMs, cpuMs } = traced.reduce((longest, task) => (task[what] > longest[what] ? task : longest));
  return { wallMs: Math.round(wallMs), cpuMs: Math.round(cpuMs) };
}

function inWords({ wallMs, cpuMs }) {
  return `${cpuMs} of ${wallMs} ms`;
}

async function opened(agents) {
  const stage = await fleetStage(agents, 1_000);
  await untilAll(stage, agents);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(watch);
  const page = await context.newPage();
  await page.goto(`${stage.url}${await secret(stage)}`);
  await page.locator('.link-state.live').waitFor();
  return { stage, page, paints: [] };
}

/** The other page is idle meanwhile, so that the two do not disturb each other. */
async function openAgain({ stage, page, paints }) {
  // Healthy agents are folded away otherwise.
  await page.goto(`${stage.url}/?show=all`);
  paints.push(await usefulAt(page));
  if (paints.length < OPENINGS) await page.goto('about:blank');
}

async function closed({ stage, page }) {
  await page.context().close();
  await stage.end();
}

function paintOf({ paints }) {
  return Math.round([...paints].sort((a, b) => a - b)[Math.floor(OPENINGS / 2)]);
}

/** Polls from outside, because the page's content security policy forbids code that waits inside the page. */
async function usefulAt(page) {
  for (;;) {
    const at = await page.evaluate('window.usefulAt');
    if (at > 0) return at;
    await page.waitForTimeout(20);
  }
}

/** Measures for a while; only part of the time is traced, because traces need much memory. */
async function live(page, lasting) {
  const session = await page.context().newCDPSession(page);
  const tracedMs = Math.min(TRACED_MINUTES, lasting) * 60_000;
  const traced = await tasksOf(browser, page, () => lookAround(page, tracedMs));
  const memory = [];
  for (let part = 0; part < 4; part += 1) {
    await lookAround(page, Math.max(1_000, lasting * 60_000 - tracedMs) / 4);
    await page.evaluate('window.scrollTo(0, 0)');
    await page.waitForTimeout(500);
    // This collection is forced by the benchmark; the page never does a full collection at once.
    await page.evaluate('window.isWatched = false');
    await session.send('HeapProfiler.collectGarbage');
    await page.waitForTimeout(200);
    await page.evaluate('window.isWatched = true');
    const bytes = await page.evaluate('performance.memory.usedJSHeapSize');
    memory.push(Math.round((bytes / 1_048_576) * 10) / 10);
  }
  return { memory, traced };
}

/** Scrolls now and then, like a user. */
async function lookAround(page, ms) {
  const until = Date.now() + ms;
  while (Date.now() < until) {
    await page.evaluate('window.scrollBy(0, 1200)');
    await page.waitForTimeout(Math.min(2_500, Math.max(0, until - Date.now())));
  }
}

/** Runs in the page, before anything else does. */
function watch() {
  window.usefulAt = 0;
  window.isWatched = true;
  window.tasks = [];
  window.messages = 0;
  new PerformanceObserver((list) => {
    // What happens before the first paint is counted in the time to that paint.
    for (const task of list.getEntries())
      if (window.usefulAt > 0 && window.isWatched) window.tasks.push(task.duration);
  }).observe({ type: 'longtask' });
  const seen = new MutationObserver(() => {
    if (window.usefulAt > 0 || !document.querySelector('.row .strip')) return;
    requestAnimationFrame(() => {
      window.usefulAt = performance.now();
    });
    seen.disconnect();
  });
  seen.observe(document, { childList: true, subtree: true });
  const Source = window.EventSource;
  window.EventSource = class extends Source {
    constructor(...args) {
      super(...args);
      for (const type of ['page', 'delta'])
        this.addEventListener(type, () => {
          window.messages += 1;
        });
    }
  };
}

async function secret({ url, token }) {
  const answer = await fetch(`${url}/v1/login-secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return (await answer.json()).path;
}

async function untilAll({ url, token }, agents) {
  for (;;) {
    const answer = await fetch(`${url}/v1/fleet?limit=0`, { headers: { authorization: `Bearer ${token}` } });
    if ((await answer.json()).total >= agents) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
