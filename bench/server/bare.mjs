// The least that a server can do for the same answer: read the body, parse it, answer. No checks, no state.

import { createServer } from 'node:http';

const answer = JSON.stringify({ ok: true, directives: [] });
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    JSON.parse(body);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', answer.length);
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message === 'cpu') process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
  if (message === 'stop') process.exit(0);
});
