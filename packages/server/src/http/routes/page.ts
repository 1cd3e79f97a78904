import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';

type PageFile = {
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly type: string;
  readonly tag: string;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Nothing from elsewhere, nothing inline: text of an agent that became markup would still find no way to run. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** Views of the page; each is the same document, which looks at its own address. */
const VIEWS = ['/', '/agents/:id', '/incidents', '/breakers', '/history', '/system', '/cost'];

type PageFiles = ReadonlyMap<string, PageFile> | null;

/** The dashboard's built files, read once. */
export const pageFilesOf = ({ page }: HttpDeps): PageFiles => (page ? readFiles(page.folder) : null);

/** A person who follows a wrong link gets the page, which says so, instead of a line of JSON. */
export function sendStrayPage(files: PageFiles, request: FastifyRequest, reply: FastifyReply): boolean {
  const isPerson = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
  const file = files?.get('index.html');
  if (!isPerson || !file || request.url.startsWith('/v1/')) return false;
  reply.code(404);
  send(request, reply, file, 'no-cache');
  return true;
}

/** They are not part of the API and not in its description. */
export function pageRoutes(files: PageFiles): readonly Route[] {
  const view = (url: string): Route =>
    defineRoute({
      method: 'GET',
      url,
      summary: 'The page.',
      access: 'open',
      // The page's own address may say anything; the server does not read it.
      query: z.looseObject({}),
      hasHead: true,
      answers: { 200: { description: 'HTML.', type: 'text/html' } },
      handle: ({ request, reply }) => send(request, reply, files?.get('index.html'), 'no-cache'),
    });
  return [
    ...VIEWS.map(view),
    defineRoute({
      method: 'GET',
      url: '/assets/:file',
      summary: 'A part of the page.',
      access: 'open',
      answers: { 200: { description: 'Script, style or picture.' } },
      handle: ({ params, request, reply }) =>
        // Their names hold a hash of what is in them.
        send(request, reply, files?.get(`assets/${params.file}`), 'public, max-age=31536000, immutable'),
    }),
  ];
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile | undefined,
  caching: string,
): unknown {
  if (!file) throw problem(404, 'no_page', 'the page is not part of this build; see `npm run build`');
  reply.headers({ ...headers, 'content-type': file.type, 'cache-control': caching, etag: file.tag });
  reply.header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === file.tag) return reply.code(304).send();
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.body);
  return reply.header('content-encoding', 'gzip').send(file.zipped);
}

function readFiles(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const body = readFileSync(path);
      const name = path.slice(folder.length + 1).replaceAll('\\', '/');
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const type = types[extname(name)] ?? 'application/octet-stream';
      files.set(name, { body, zipped: gzipSync(body), type, tag });
    }
    return files;
  } catch {
    // A server without its page still watches.
    return null;
  }
}
