import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BatchRun } from '../batch-run.ts';
import { wrongEncoding } from '../json-body.ts';
import { LineCutter } from '../ndjson.ts';
import { type HttpProblem, problem, type Refusal, refusalOf } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { signalLine } from '../schema/signals.ts';
import type { Caller } from '../tokens.ts';
import type { HttpContext } from './context.ts';

/**
 * Many signals of many agents in one request: one line each in, one verdict each out, in the same order.
 * The body is worked off as it arrives, and the next piece is read only when the last is durable: so a
 * sender of any size takes no more memory than one piece.
 */
export function batchRoutes({ deps, limits }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/signals',
      summary: 'Signals of many agents as NDJSON; the reply has one verdict per line and a summary.',
      access: ['agent', 'operator'],
      bodyType: 'application/x-ndjson',
      bodyShown: signalLine,
      answers: {
        200: { description: 'One verdict per line, then a summary.', type: 'application/x-ndjson' },
      },
      handle: ({ request, reply, body, caller }) => {
        const encoding = request.headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'gzip') throw wrongEncoding();
        if (Number(request.headers['content-length'] ?? 0) > limits.batchBytesMax) throw tooLarge();
        const bytes = encoding === 'gzip' ? inflating(body as Readable) : (body as Readable);
        reply.header('content-type', 'application/x-ndjson');
        return reply.send(Readable.from(verdicts(bytes, caller, request.id)));
      },
    }),
  ];

  async function* verdicts(bytes: Readable, caller: Caller, correlationId: string): AsyncGenerator<string> {
    const cutter = new LineCutter(limits.lineBytesMax);
    const run = new BatchRun(deps.intake, caller, { correlationId, depthMax: limits.depthMax });
    let total = 0;
    try {
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        total += chunk.length;
        if (total > limits.batchBytesMax) throw tooLarge();
        const text = await run.take(cutter.push(chunk));
        if (text !== '') yield text;
      }
      const text = await run.take(cutter.end());
      yield text + run.summary(null, directivesFor(caller));
    } catch (error) {
      // The status is long gone: what is wrong with the rest is said in the last line.
      yield run.summary(refusalOfBody(error), []);
    }
  }

  function directivesFor({ role, agentId, incarnation }: Caller) {
    if (role !== 'agent' || agentId === null || incarnation === null) return [];
    return deps.replies.take(agentId, incarnation);
  }
}

/** `pipe` leaves the errors of its source behind; a body that was cut must not look like one that ended. */
function inflating(source: Readable): Readable {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

function refusalOfBody(error: unknown): Refusal {
  const isZlib = error instanceof Error && 'code' in error && /^Z_|^ERR_ZLIB/.test(String(error.code));
  if (isZlib) return { status: 400, code: 'bad_gzip', message: 'the body is not what gzip makes' };
  const isCut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  if (isCut) return { status: 400, code: 'cut_body', message: 'the body ended early' };
  return refusalOf(error);
}

const tooLarge = (): HttpProblem =>
  problem(413, 'body_too_large', 'the body is larger than one request may be; send it in parts');
