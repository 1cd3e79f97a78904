import { CODE, type Params, RpcError } from './json-rpc.ts';
import type { Tool } from './tool.ts';

/** What one caller is offered. */
export type ToolSet = { readonly instructions: string; readonly tools: readonly Tool[] };

/** Those that begin with `initialize`; the newest first. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** It has no handshake: each request names its version. */
const STATELESS_VERSION = '2026-07-28';

const VERSION_OF_REQUEST = 'io.modelcontextprotocol/protocolVersion';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const UNSUPPORTED_VERSION = -32_022;

const CAPABILITIES = { tools: { listChanged: true } };
/** Which tools a caller is offered may change at any time. */
const NOT_CACHED = { ttlMs: 0, cacheScope: 'private' };

/**
 * The part of the Model Context Protocol that a server of tools needs, of the versions with a handshake and of the
 * one without. See decision 033.
 */
export class McpServer {
  private readonly info: { readonly name: string; readonly version: string };
  private readonly offer: () => Promise<ToolSet>;
  /** The other side understands notifications about changed tools. */
  hasHandshake = false;

  constructor(version: string, offer: () => Promise<ToolSet>) {
    this.info = { name: 'holter', version };
    this.offer = offer;
  }

  async handle(method: string, params: Params): Promise<object> {
    if (method === 'initialize') return this.initialize(params);
    if (!isStateless(params)) return this.answer(method, params);
    const answer = await this.answer(method, params);
    return { resultType: 'complete', ...answer, _meta: { [SERVER_INFO]: this.info } };
  }

  private async initialize({ protocolVersion }: Params): Promise<object> {
    this.hasHandshake = true;
    const { instructions } = await this.offer();
    const version = HANDSHAKE_VERSIONS.find((each) => each === protocolVersion) ?? HANDSHAKE_VERSIONS[0];
    return { protocolVersion: version, capabilities: CAPABILITIES, serverInfo: this.info, instructions };
  }

  private async answer(method: string, params: Params): Promise<object> {
    switch (method) {
      case 'ping':
        return {};
      case 'server/discover': {
        const { instructions } = await this.offer();
        const supportedVersions = [STATELESS_VERSION];
        return { supportedVersions, capabilities: CAPABILITIES, instructions, ...NOT_CACHED };
      }
      case 'tools/list': {
        const { tools } = await this.offer();
        return {
          tools: tools.map(({ call: _call, ...shown }) => shown),
          ...(isStateless(params) && NOT_CACHED),
        };
      }
      case 'tools/call':
        return this.call(params);
      default:
        throw new RpcError(CODE.method, `${method} is not a method of this server`);
    }
  }

  private async call({ name, arguments: given }: Params): Promise<object> {
    const { tools } = await this.offer();
    const tool = tools.find((each) => each.name === name);
    if (tool) return tool.call(given);
    const known = tools.map((each) => each.name).join(', ');
    throw new RpcError(CODE.params, `there is no tool ${String(name)} for you; there are: ${known}`);
  }
}

function isStateless({ _meta: meta }: Params): boolean {
  const requested = (meta as Params | undefined)?.[VERSION_OF_REQUEST];
  if (requested === undefined) return false;
  if (requested === STATELESS_VERSION) return true;
  const supported = [STATELESS_VERSION];
  throw new RpcError(UNSUPPORTED_VERSION, 'this version of MCP is not supported', { supported, requested });
}
