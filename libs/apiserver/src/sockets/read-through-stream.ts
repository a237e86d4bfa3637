import type { Socket } from 'node:net';

const nobody = (): void => undefined;

/**
 * Has node's server read a connection of HTTP/1.1 through its stream. It reads most connections past it, from the kernel into its
 * parser; and where a request comes while the answer before it has not left, it pauses the parser. Of TLS, several records may have
 * arrived at a time: the second one would meet a parser that is paused, which ends the connection (`HPE_PAUSED`; node 20 to 26).
 */
export function readThroughStream(socket: Socket): void {
  // Whoever listens to what comes has node let go of the kernel's side, for good.
  socket.on('data', nobody).off('data', nobody);
}
