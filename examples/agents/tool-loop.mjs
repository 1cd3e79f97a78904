// The tool loop of a coding agent, with a scripted model: each call is recorded with its result or error,
// tokens are counted, and a checkpoint records where a successor would continue.
// Run: HOLTER_URL=http://127.0.0.1:4658 HOLTER_TOKEN=… node examples/agents/tool-loop.mjs
import { connect } from '@holter/agent';

const script = [
  { tool: 'read', input: 'notes.txt', tokens: 120 },
  { tool: 'read', input: 'missing.txt', tokens: 80 },
  { tool: 'write', input: 'summary.txt', tokens: 200 },
  { say: 'The summary is written.', tokens: 40 },
];
const model = { next: () => script.shift() };

const client = connect({
  agentId: 'summarizer',
  taskId: 'T-7',
  promises: { calls: true, checkpoints: true },
});
const files = new Map([['notes.txt', 'agents need a pulse']]);
const tools = {
  read: client.tool('read', async (path) => {
    if (!files.has(path)) throw new Error(`no such file: ${path}`);
    return files.get(path);
  }),
  write: client.tool('write', async (path) => files.set(path, 'a pulse').size),
};

client.turnBegan();
for (let answer = model.next(); answer; answer = model.next()) {
  client.tokens({ tokens: answer.tokens });
  if (answer.say) {
    client.said(answer.say);
    console.log(answer.say);
    continue;
  }
  const result = await tools[answer.tool](answer.input).catch((error) => error.message);
  console.log(`${answer.tool}(${answer.input}): ${result}`);
}
client.turnEnded();
const saved = await client.checkpoint({ files: [...files.keys()] });
console.log(`checkpoint: ${saved.kind}`);
client.taskEnded('done');
await client.close('done');
