import type { Socket } from 'node:net';
import { type NodeBackend, unexplained } from '@orch/handlers';
import { gatherWrites } from '@orch/runtime';
import { endBehind } from '@orch/serving';
import { checkWebSocketKey, type MessageConnection, type MessageReceiver, offeredProtocols } from '@orch/streaming';
import type { AgentConnector } from './agent-connector.js';
import { boundIdleness } from './idle-bound.js';
import { isSpdy, spdyHeaders } from './request-headers.js';
import { acceptSession, type SessionRequest } from './session-request.js';
import { askForUpgrade } from './upgrade.js';

/** The beginning of a subprotocol whose messages carry a connection of SPDY/3.1; the protocol of its streams follows. */
const TUNNEL = 'SPDY/3.1+';

/** Whether the messages of a subprotocol carry a connection of SPDY/3.1. */
export const isTunnel = (protocol: string): boolean => protocol.startsWith(TUNNEL) && protocol.endsWith('k8s.io');

/**
 * Joins a client that speaks SPDY/3.1 in the messages of a WebSocket with an agent that speaks it on the connection
 * itself; resolves once bytes are passed on, or the refusal of the agent has been.
 * @throws StatusError 500 when there is no connection, or no other protocol; 400 for an address that is not allowed, and
 * for an invalid handshake
 */
export async function tunnelPorts(
  request: SessionRequest,
  connector: AgentConnector,
  backend: NodeBackend,
): Promise<void> {
  const { ctx, idleMs } = request;
  checkWebSocketKey(ctx.req);
  const offered = offeredProtocols(ctx.req).filter(isTunnel);
  const headers = spdyHeaders(
    ctx,
    offered.map((protocol) => protocol.slice(TUNNEL.length)),
  );
  const answer = await askForUpgrade(ctx, connector, backend, { method: 'POST', headers });
  if (!answer) return;
  const { message, switched } = answer;
  const { socket, head } = switched;
  if (!isSpdy(message)) {
    socket.destroy();
    throw unexplained('unable to upgrade: missing upgrade headers in response');
  }
  const chosen = `${TUNNEL}${message.headers['x-stream-protocol-version']}`;
  const protocol = offered.includes(chosen) ? chosen : undefined;
  const tunnel = new Tunnel(socket, () => endBehind(ctx, socket));
  const messages = acceptSession(request, protocol, tunnel);
  if (!messages) return void socket.destroy();
  socket.unshift(head);
  boundIdleness(ctx, socket, idleMs);
  tunnel.join(messages);
}

/** Writes the bytes of messages to a connection, and makes messages of what comes on it. */
class Tunnel implements MessageReceiver {
  readonly #gather: () => void;
  #messages: MessageConnection | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly left: () => void,
  ) {
    this.#gather = gatherWrites(socket);
  }

  /** Begins to pass bytes on. */
  join(messages: MessageConnection): void {
    this.#messages = messages;
    const { socket } = this;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => messages.send(bytes, socket));
    socket.once('end', () => messages.close()).once('close', () => messages.close());
  }

  /** See {@link MessageReceiver.message}. */
  message(bytes: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      this.#messages?.refuse('a tunnel has no messages of text');
      return;
    }
    this.#gather();
    if (!this.socket.write(bytes)) this.#messages?.waitFor(this.socket);
  }

  /** See {@link MessageReceiver.closed}. */
  closed(): void {
    this.left();
  }
}
