import { useEffect, useRef, useState } from 'preact/hooks';
import { recall, remember } from './answers.ts';
import { messageOf } from './api.ts';
import { changes } from './live.ts';

type Fresh<T> = {
  readonly data: T | null;
  readonly problem: string | null;
  readonly reload: () => void;
};

/**
 * Loads what a view shows besides fleet rows: once, and again when the stream reports a change, at most every
 * `everyMs`. The last answer stays visible while the next one loads. `quietMs` also reloads without a change, for
 * data that the stream does not cover, such as Holter's own health.
 */
export function useFresh<T>(
  key: string,
  ask: (stop: AbortSignal) => Promise<T>,
  everyMs = 700,
  quietMs?: number,
): Fresh<T> {
  const [state, setState] = useState<{ key: string; data: T | null; problem: string | null }>({
    key,
    data: recall<T>(key),
    problem: null,
  });
  const asking = useRef(ask);
  asking.current = ask;
  const reload = useRef<() => void>(() => undefined);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isBusy = false;
    let isWanted = false;
    const look = async (): Promise<void> => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      isWanted = false;
      isBusy = true;
      try {
        const data = await asking.current(stop.signal);
        if (!stop.signal.aborted) {
          remember(key, data);
          setState({ key, data, problem: null });
        }
      } catch (error) {
        if (!stop.signal.aborted)
          setState((before) => ({
            key,
            data: before.key === key ? before.data : recall<T>(key),
            problem: messageOf(error),
          }));
      }
      isBusy = false;
      if (isWanted || quietMs !== undefined) schedule(isWanted ? everyMs : quietMs);
    };
    const schedule = (inMs = everyMs): void => {
      if (isBusy) isWanted = true;
      else if (timer === null && !stop.signal.aborted) timer = setTimeout(() => void look(), inMs);
    };
    reload.current = () => void look();
    void look();
    let isFirst = true;
    const unsubscribe = changes.subscribe(() => {
      if (isFirst) isFirst = false;
      else schedule();
    });
    return () => {
      stop.abort();
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, [key, everyMs, quietMs]);

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : recall<T>(key),
    problem: isCurrent ? state.problem : null,
    reload: () => reload.current(),
  };
}
