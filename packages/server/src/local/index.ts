/**
 * What a command needs to talk to a server, or to find it by its folder. It loads neither the server (database,
 * HTTP, schemas) nor the rules nor the parser of `holter.yaml`: every `holter status` would wait for them.
 */

export { DataFolder, dataFolderPath, FIRST_ROLES, type FirstRole } from '../data-folder.ts';
export type { Clock } from '../engine/clock.ts';
export { type Client, ClientError, createClient } from '../http/client.ts';
export { isTokenOfHash } from '../http/hook-token.ts';
export type * from '../http/types.ts';
export { DEFAULT_HOST, DEFAULT_PORT } from '../listen-address.ts';
export { isAcknowledgedByReading, quotedLetters } from '../post/quote.ts';
export { realClock } from '../real-clock.ts';
