import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether a client waits for permission to send the body of its request (RFC 9110 section 10.1.1). */
export const waitsToSend = ({ headers }: IncomingMessage): boolean =>
  headers.expect?.split(',').some((each) => each.trim().toLowerCase() === '100-continue') === true;

/** Asks a waiting client to send a body that is going to be read. HTTP/1.0 has no such interim response. */
export function askForBody({ req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse }): void {
  if (req.httpVersion === '1.0' || !waitsToSend(req)) return;
  const ask = () => {
    if (!res.headersSent) res.writeContinue();
  };
  // While other responses of the connection are pending, Node would put it behind the head of this one.
  if (res.socket) ask();
  else res.once('socket', ask);
}
