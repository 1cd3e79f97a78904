import { damaged } from './faults.ts';

/** What Holter wrote itself is believed to have its shape; that it is JSON at all is not. */
export function parse<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw damaged(what);
  }
}
