/**
 * `npm run docs:lint-openapi`: asks Redocly and swagger-parser what they think of the document that a server gives
 * out. Both are fetched for the occasion into a temporary folder, because nothing else needs them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DataFolder } from '@holter/server/local';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'holter-openapi-'));
const data = join(folder, 'data');
const server = spawn(
  process.execPath,
  [join(root, 'packages/holter/dist/main.js'), 'up', '--port', '0', '--data', data, '--log-level', 'error'],
  { stdio: 'inherit' },
);
try {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await document());
  writeFileSync(join(folder, 'package.json'), '{}');
  const run = (command, args) =>
    execFileSync(command, args, {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '@redocly/cli@2.73.0',
    '@apidevtools/swagger-parser@13.0.0',
  ]);
  run('npx', ['redocly', 'lint', file]);
  const parser = createRequire(join(folder, 'package.json')).resolve('@apidevtools/swagger-parser');
  const { default: SwaggerParser } = await import(pathToFileURL(parser).href);
  await SwaggerParser.validate(file);
  console.log('swagger-parser: valid');
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function document() {
  for (let tries = 0; tries < 200; tries += 1) {
    const url = new DataFolder(data).readServer()?.url;
    if (url !== undefined) return (await fetch(`${url}/openapi.json`)).text();
    await wait(100);
  }
  throw new Error('the server did not start');
}
