// An agent on another machine, with the client inside. It works until it is told to stop.
import { connect } from '../../packages/agent/dist/index.js';

const client = connect({ beatEveryMs: 200, requestTimeoutMs: 1_000, watchdog: 'off' });
client.onStop(({ message }) => {
  console.log(`told to stop: ${message}`);
  process.exit(0);
});
setInterval(() => client.activity(), 200);
