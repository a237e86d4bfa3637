import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** A request for another protocol, and the connection that it has come on. */
export interface UpgradeRequest {
  /** The request. */
  readonly req: IncomingMessage;
  /** Its connection. */
  readonly socket: Socket;
  /** Bytes that came behind the request. */
  readonly head: Buffer;
}

/** Answers a request for another protocol with a refusal in plain text, and closes its connection. */
export function refuseUpgrade({ socket }: Pick<UpgradeRequest, 'socket'>, code: number, text: string): void {
  const body = Buffer.from(text);
  const head = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
}

/** Whether a request wants a WebSocket. */
export const isWebSocketRequest = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** Whether a request wants SPDY/3.1. */
export const isSpdyRequest = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase().includes('spdy/3.1') ?? false;
