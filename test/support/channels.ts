import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AgentStream } from './spdy.js';

/** The newest subprotocol that agents of release 1.27 know for WebSockets: each message begins with the number of its stream. */
export const CHANNELS = 'v4.channel.k8s.io';

/** Whether a client asks for a WebSocket whose messages are those of {@link CHANNELS}. */
export const asksForChannels = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  (headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/).includes(CHANNELS);

const server = new WebSocketServer({ noServer: true, handleProtocols: () => CHANNELS });

/**
 * Speaks WebSocket as a server of exec and port-forward. No stream ends before the others: the client's end is that of the connection.
 * @param headers those of the streams, by their numbers
 * @param opened each stream, in the order of their numbers, and what ends the connection in order
 */
export function serveChannels(
  req: IncomingMessage,
  socket: Socket,
  head: Buffer,
  headers: ReadonlyMap<number, ReadonlyMap<string, string>>,
  opened: (stream: AgentStream, end: () => void) => void,
): void {
  server.handleUpgrade(req, socket, head, (client) => {
    const streams = new Map<number, AgentStream>();
    for (const [number, each] of headers) streams.set(number, channelOf(client, number, each));
    client.on('message', (message: Buffer) => {
      client.pause();
      void Promise.resolve(streams.get(message[0] ?? -1)?.onData(message.subarray(1))).then(() => client.resume());
    });
    client.on('error', () => socket.destroy());
    client.on('close', () => {
      for (const stream of streams.values()) stream.onEnd();
    });
    const end = (): void => {
      client.close(1000);
      // Agents do not wait for an answer, and there are clients that see the last messages only once the connection has ended.
      socket.end();
    };
    for (const stream of streams.values()) opened(stream, end);
  });
}

function channelOf(client: WebSocket, number: number, headers: ReadonlyMap<string, string>): AgentStream {
  const write = (bytes: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      client.send(Buffer.concat([Buffer.from([number]), Buffer.from(bytes as string)]), () => resolve());
    });
  return {
    headers,
    write,
    end: (bytes = '') => void (bytes.length > 0 && write(bytes)),
    onData: () => undefined,
    onEnd: () => undefined,
  };
}
