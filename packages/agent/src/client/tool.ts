import type { HolterClient } from './client.ts';

/**
 * Wraps a tool so that each call is recorded with its result or its error. The function behaves as before:
 * same arguments, same `this`, same result, same error, at the same time.
 */
export function wrapTool<This, Args extends unknown[], Result>(
  client: Pick<HolterClient, 'toolStarted'>,
  name: string,
  run: (this: This, ...args: Args) => Result,
): (this: This, ...args: Args) => Result {
  return function (this: This, ...args: Args): Result {
    const call = client.toolStarted(name, args.length === 1 ? args[0] : args);
    let result: Result;
    try {
      result = run.apply(this, args);
    } catch (error) {
      call.failed(error);
      throw error;
    }
    if (!isPromise(result)) {
      call.succeeded(result);
      return result;
    }
    // The host gets its own promise. Ours only observes it and never causes an unhandled rejection.
    result.then(call.succeeded, call.failed);
    return result;
  };
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
