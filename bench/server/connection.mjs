import { connect } from 'node:net';

/**
 * One keep-alive connection that knows just enough HTTP to separate answers. A real client would cost more than the
 * server that is measured.
 */
export class Connection {
  constructor(port) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.rest = '';
    this.waiting = null;
    this.socket.on('data', (chunk) => {
      this.rest = this.rest === '' ? chunk.toString('latin1') : this.rest + chunk.toString('latin1');
      this.look();
    });
    this.socket.on('error', (error) => this.waiting?.reject(error));
  }

  /** Resolves with the status and the body. */
  ask(bytes) {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(bytes);
    });
  }

  look() {
    const head = this.rest.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = /content-length: (\d+)/i.exec(this.rest.slice(0, head))?.[1];
    const from = head + 4;
    const isWhole =
      length === undefined ? this.rest.endsWith('\r\n0\r\n\r\n') : this.rest.length >= from + Number(length);
    if (!isWhole) return;
    const status = Number(this.rest.slice(9, 12));
    const body = this.rest.slice(from);
    this.rest = '';
    const { resolve } = this.waiting;
    this.waiting = null;
    resolve({ status, body });
  }

  close() {
    this.socket.destroy();
  }
}

export function requestBytes(method, path, { token, body, type = 'application/json' } = {}) {
  const payload = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(payload === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(payload)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${payload}`);
}
