import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from '../../packages/server/test/http/kit.ts';
import { cli } from './cli.ts';
import { commandLinesOf, whyNotParsed } from './command-lines.ts';
import { events } from './events.ts';
import { holterYaml } from './holter-yaml.ts';
import { http, type OpenApi } from './http.ts';
import { metrics } from './metrics.ts';
import { checkOpenApi } from './openapi.ts';
import { readProgram } from './program.ts';
import { signals } from './signals.ts';

const folder = new URL('../../docs/reference/', import.meta.url);
const isRewriting = process.env.HOLTER_REWRITE === '1';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp();
});
afterAll(() => server.stop());

const program = readProgram();
const openApi = async (): Promise<OpenApi> => (await server.operator.openApi()) as unknown as OpenApi;

describe('the reference is current; else run: npm run docs:generate', () => {
  it.each<[page: string, make: () => string | Promise<string>]>([
    ['holter-yaml.md', holterYaml],
    ['signals.md', signals],
    ['events.md', events],
    ['http.md', async () => http(await openApi())],
    ['metrics.md', async () => metrics(await server.operator.metrics())],
    ['cli.md', () => cli(program)],
  ])('%s', async (name, make) => {
    const made = await make();
    const file = new URL(name, folder);
    if (isRewriting) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, made);
    }
    expect(readFileSync(file, 'utf8')).toBe(made);
  });
});

checkOpenApi(openApi);

describe('command lines in the docs', () => {
  const root = new URL('../../', import.meta.url);
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
    ...readdirSync(new URL('docs/', root), { recursive: true })
      .map((path) => `docs/${String(path)}`)
      .filter((path) => path.endsWith('.md') && !path.startsWith('docs/decisions/')),
  ].sort();

  it.each(pages)('%s has only lines that the program accepts', (path) => {
    const lines = commandLinesOf(readFileSync(new URL(path, root), 'utf8'));
    const wrong = lines.flatMap((line) => {
      const why = whyNotParsed(line, program);
      return why === null ? [] : [`${line}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  it('finds what the program would refuse', () => {
    const refused = [
      'holter stauts',
      'holter token make',
      'holter ping create --nmae x',
      'holter why ada and bob',
      'holter run --agnet x -- ./agent',
    ];
    expect(refused.filter((line) => whyNotParsed(line, program) === null)).toEqual([]);
    expect(commandLinesOf('`holter why ada`\n```sh\nnpx holter status # all\n```\nholter is here')).toEqual([
      'holter why ada',
      'holter status # all',
    ]);
  });
});
