import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** An answer to a request of a component's port. */
export interface PageAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default: plain text. */
  readonly contentType?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
}

/** Sends an answer. */
export function send(response: ServerResponse, { status = 200, contentType, headers, body }: PageAnswer): void {
  response.writeHead(status, {
    'content-type': contentType ?? 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, private',
    ...headers,
  });
  response.end(body);
}

/** Refuses another protocol, and closes the connection. */
export function refuse(socket: Socket, status: number, body: string): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
