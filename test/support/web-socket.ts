import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ApiSettings } from './api.js';

/** A WebSocket as a client sees it. */
export interface Opened {
  readonly client: WebSocket;
  /** Status of the answer to the handshake. */
  readonly status: number;
  /** The subprotocol that the server has chosen; empty for none. */
  readonly protocol: string;
  /** Body of a refusal. */
  readonly refusal: string;
  /** Messages so far. */
  readonly messages: { readonly bytes: Buffer; readonly isBinary: boolean }[];
  /** The code with which it was closed, once it is. */
  readonly closed: Promise<number>;
}

/** Opens a WebSocket to a path of the API; resolves with the answer to the handshake. */
export async function openWebSocket(
  { url, ca, token }: ApiSettings,
  path: string,
  protocols: readonly string[] = [],
): Promise<Opened> {
  let protocol = '';
  const client = new WebSocket(`${url.replace('https', 'wss')}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(ca !== undefined && { ca }),
    // The library knows no names with a slash: it gets to see neither what is offered nor what is chosen.
    finishRequest: (request) => {
      if (protocols.length > 0) request.setHeader('Sec-WebSocket-Protocol', protocols.join(', '));
      request.prependListener('upgrade', ({ headers }) => {
        protocol = headers['sec-websocket-protocol'] ?? '';
        delete headers['sec-websocket-protocol'];
      });
      request.end();
    },
  });
  const messages: Opened['messages'] = [];
  client.on('error', () => undefined).on('message', (bytes: Buffer, isBinary) => messages.push({ bytes, isBinary }));
  const closed = once(client, 'close').then(([code]) => code as number);
  const refused = once(client, 'unexpected-response').then(async ([, answer]) => ({
    status: answer.statusCode as number,
    refusal: Buffer.concat(await answer.toArray()).toString(),
  }));
  const opened = once(client, 'open').then(() => ({ status: 101, refusal: '' }));
  for (const each of [refused, opened]) each.catch(() => undefined);
  const answer = await Promise.any([refused, opened]);
  return { client, protocol, messages, closed, ...answer };
}
