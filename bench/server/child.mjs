import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a file of this folder as a process that answers messages; `first` is what it says by itself. */
export async function startChild(file, { hasFirst = true, args = [], env = {} } = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    serialization: 'advanced',
    env: { ...process.env, ...env },
  });
  let waiting = null;
  child.on('message', (message) => {
    if (message.error) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message);
  });
  child.on('exit', (code) => waiting?.reject(new Error(`${file} ended with ${code}`)));
  const answer = () =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
    });
  const ask = (message) => {
    const answered = answer();
    child.send(message);
    return answered;
  };
  return {
    child,
    ask,
    first: hasFirst ? await answer() : null,
    cpuSeconds: async () => {
      const { cpu } = await ask('cpu');
      return (cpu.user + cpu.system) / 1e6;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.send('stop');
      }),
  };
}

/** One enroll token may register 500 agents a second. */
export async function enrollTokens({ port, tokens }, count) {
  const made = [];
  for (let i = 0; i < Math.min(count, 20); i += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.operator}`, 'content-type': 'application/json' },
      body: '{"role":"enroll"}',
    });
    made.push((await response.json()).token);
  }
  return made;
}
