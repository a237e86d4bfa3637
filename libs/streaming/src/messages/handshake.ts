import type { IncomingMessage } from 'node:http';
import { badRequest } from '@orch/machinery';

/** Subprotocols that a client offers, in its order. */
export const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? [];

/** @throws StatusError 400 for a handshake that RFC 6455 section 4.2.1 does not allow, its subprotocols apart */
export function checkWebSocketKey({ headers }: IncomingMessage): void {
  if (headers['sec-websocket-version'] !== '13') throw badRequest('Sec-WebSocket-Version must be 13');
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')) {
    throw badRequest('Sec-WebSocket-Key must be 16 bytes in base64');
  }
}
