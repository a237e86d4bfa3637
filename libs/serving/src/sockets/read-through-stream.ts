import type { IncomingMessage } from 'node:http';

const nobody = (): void => undefined;

/**
 * Keeps the requests of a connection of HTTP/1.1 that come while the last answer has not left. Node's server reads most connections
 * past their stream, from the kernel into its parser, and pauses that until the answer has left. Of TLS, several records may have
 * arrived at a time: the next one would meet a parser that is paused, which ends the connection (`HPE_PAUSED`; node 20 to 26).
 * To be called as a request comes, while its record is being parsed. It holds for the rest of the connection, where requests cost a
 * fifth more from then on; thus it is done to those alone whose client does not wait.
 */
export function readThroughStream(req: IncomingMessage): void {
  if (req.httpVersionMajor !== 1 || !req.socket.isPaused()) return;
  const { socket } = req;
  // Whoever listens to what comes has node let go of the kernel's side; what follows waits in the stream.
  socket.on('data', nobody).off('data', nobody);
  // The kernel's side was paused, and the stream believes that it is being read: it is to look again.
  socket.push('');
}
