// Loaded with `node --import` before Holter: makes the process a server of another record version. With `?previous` it
// knows one version less. With `?next` it knows one more, which writes the phase of an agent as it was told; the present
// version is given it in lower case.

import { register } from 'node:module';

const NEXT = `{
  up: {},
  down: { agent: (hard) => (hard.phase ? { ...hard, phase: hard.phase.toLowerCase() } : hard) },
}`;
const added = new URL(import.meta.url).search === '?next' ? `.concat(${NEXT})` : '.slice(0, -1)';

const hook = `
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith('/record/upcast.js')) return loaded;
  const source = String(loaded.source);
  const changed = source.replace(/(const SHARED_STEPS = \\[.*\\]);/, (_, steps) => steps + ${JSON.stringify(`${added};`)});
  if (changed === source) throw new Error('the steps between versions are not where they were');
  return { ...loaded, source: changed };
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
