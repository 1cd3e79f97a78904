import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, type Refusal } from './problem.ts';

/** Requests that never became one: Node gives us the bare socket, and it must not simply be dropped. */
export function tellClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const refusal = refusals[error.code ?? ''] ?? malformed;
  if (socket.writable && !isAnswering(socket)) {
    const body = JSON.stringify(errorBody(refusal));
    socket.write(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}

/** Words in the middle of an answer that has begun would only spoil it. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: message } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return message?.headersSent === true;
}

const malformed: Refusal = { status: 400, code: 'bad_request', message: 'this is not an HTTP request' };

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'too_slow',
    message: 'the request did not arrive in time',
  },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large', message: 'the headers are too large' },
};
