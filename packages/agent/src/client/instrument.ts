import { EventEmitter } from 'node:events';
import type { HolterClient } from './client.ts';

/** Which events of an emitter mean what. */
export type InstrumentOptions = {
  /**
   * Signs of life.
   * @default response_generated, message_processed, config_updated, personality_updated
   */
  readonly activityEvents?: readonly string[];
  /**
   * A finished tool call. Its first argument may be the tool's name, or an object with `tool` or `name`, and
   * `input`, `args` or `arguments`, `output` or `result`, and `error`.
   * @default tool_executed
   */
  readonly toolEvents?: readonly string[];
};

const ACTIVITY = ['response_generated', 'message_processed', 'config_updated', 'personality_updated'];
const TOOLS = ['tool_executed'];

/**
 * Reports what an emitter emits. Errors are only observed (`errorMonitor`), never handled: an unhandled `error`
 * still crashes the host.
 * @returns a function that removes every listener
 */
export function instrumentEmitter(
  client: Pick<HolterClient, 'activity' | 'toolStarted' | 'reportError'>,
  emitter: EventEmitter,
  { activityEvents = ACTIVITY, toolEvents = TOOLS }: InstrumentOptions,
): () => void {
  const onActivity = (): void => client.activity();
  const onTool = (event: unknown): void => {
    const call = readCall(event);
    if (!call) return client.activity();
    const started = client.toolStarted(call.tool, call.input);
    if (call.error !== undefined && call.error !== null) started.failed(call.error);
    else started.succeeded(call.output);
  };
  const onError = (error: unknown): void => client.reportError(error);
  const pairs: readonly (readonly [string | symbol, (value: unknown) => void])[] = [
    ...activityEvents.map((event) => [event, onActivity] as const),
    ...toolEvents.map((event) => [event, onTool] as const),
    [EventEmitter.errorMonitor, onError],
  ];
  for (const [event, listener] of pairs) emitter.on(event, listener);
  return () => {
    for (const [event, listener] of pairs) emitter.off(event, listener);
  };
}

type Call = {
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
};

function readCall(event: unknown): Call | null {
  if (typeof event === 'string' && event !== '')
    return { tool: event, input: undefined, output: undefined, error: undefined };
  if (typeof event !== 'object' || event === null) return null;
  const given = event as Readonly<Record<string, unknown>>;
  const tool = given.tool ?? given.name;
  if (typeof tool !== 'string' || tool === '') return null;
  return {
    tool,
    input: given.input ?? given.args ?? given.arguments,
    output: given.output ?? given.result,
    error: given.error,
  };
}
