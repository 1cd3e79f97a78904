import type { ServerResponse } from 'node:http';

/** Waits until the reader of a stream has taken enough; false when it has gone meanwhile. */
export function roomIn(out: ServerResponse, bytesMax: number): Promise<boolean> {
  if (out.destroyed) return Promise.resolve(false);
  if (out.writableLength < bytesMax) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (hasRoom: boolean) => {
      out.off('drain', onDrain);
      out.off('close', onClose);
      resolve(hasRoom);
    };
    const onDrain = () => finish(true);
    const onClose = () => finish(false);
    out.once('drain', onDrain);
    out.once('close', onClose);
  });
}
