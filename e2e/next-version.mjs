// Loaded with `node --import` before Holter: makes the process a server of the next version, which writes the phase of
// an agent as it was told. The present version is given it in lower case.

import { register } from 'node:module';

const NEXT = `const SHARED_STEPS = [{
  up: {},
  down: { agent: (hard) => (hard.phase ? { ...hard, phase: hard.phase.toLowerCase() } : hard) },
}];`;

const hook = `
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith('/record/upcast.js')) return loaded;
  const source = String(loaded.source);
  const changed = source.replace('const SHARED_STEPS = [];', ${JSON.stringify(NEXT)});
  if (changed === source) throw new Error('the steps between versions are not where they were');
  return { ...loaded, source: changed };
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
