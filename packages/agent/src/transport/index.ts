export { exchange, type HttpRequest, open, type Reply, read } from './http.ts';
