// A plain async loop that reports to a Holter server, and also runs without one.
// Run: HOLTER_URL=http://127.0.0.1:4658 HOLTER_TOKEN=… node examples/agents/async-loop.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@holter/agent';

const client = connect({ agentId: 'looper', role: 'active-development', taskId: 'count-to-five' });
client.onNudge(({ message }) => console.log('nudged:', message));
client.onStop(() => {
  isStopped = true;
});

let isStopped = false;
for (let step = 1; step <= 5 && !isStopped; step += 1) {
  await sleep(100);
  client.beat({ phase: 'counting', progress: `${step} of 5` });
}
client.taskEnded('done');
await client.close('counted');

const { state, dropped, rejections } = client.status;
console.log(`${state}, ${dropped} dropped, ${rejections.length === 0 ? 'all heard' : rejections[0].code}`);
