export { exchange, type HttpRequest, open, type Reply, read } from './http.ts';
export { dataFolderPath, findLocalServer } from './local-server.ts';
export { tlsProblem } from './tls-problem.ts';
