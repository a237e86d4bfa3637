import type { IncomingMessage } from 'node:http';

const nobody = (): void => undefined;

/**
 * Keeps requests of a connection of HTTP/1.1 that arrive while the last answer has not left. Node's server reads most
 * connections past their stream, from the kernel into its parser, and pauses that until the answer has left. With TLS,
 * several records may have arrived at a time: the next one would meet a paused parser, which ends the connection
 * (`HPE_PAUSED`; node 20 to 26). Must be called as a request arrives, while its record is being parsed. It lasts for
 * the rest of the connection, where requests cost a fifth more from then on; so it is done only for clients that do not
 * wait.
 */
export function readThroughStream(req: IncomingMessage): void {
  if (req.httpVersionMajor !== 1 || !req.socket.isPaused()) return;
  const { socket } = req;
  // A `data` listener makes node stop reading past the stream; further bytes wait in it.
  socket.on('data', nobody).off('data', nobody);
  // The kernel's side was paused while the stream believes that it is being read: this makes it look again.
  socket.push('');
}
