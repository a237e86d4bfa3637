import type { Writable } from 'node:stream';

const PIECE = Buffer.alloc(1 << 20, 'x');
/** Time without a byte taken after which a stream counts as stopped, milliseconds. */
const STOPPED_MS = 1_000;

/**
 * Writes pieces of 1 MiB, until all are written or the other side takes nothing more for a second: that something does
 * not happen shows only by waiting.
 * @returns the number of pieces
 */
export function flood(stream: Writable, most: number): Promise<number> {
  let sent = 0;
  return new Promise((resolve) => {
    const send = (): void => {
      while (sent < most) {
        sent++;
        if (stream.write(PIECE)) continue;
        const stopped = setTimeout(() => resolve(sent), STOPPED_MS);
        stream.once('drain', () => {
          clearTimeout(stopped);
          send();
        });
        return;
      }
      resolve(sent);
    };
    send();
  });
}
