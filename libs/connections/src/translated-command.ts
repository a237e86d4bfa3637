import type { IncomingMessage } from 'node:http';
import { type CommandSession, type NodeBackend, urlOf } from '@orch/handlers';
import { StatusError } from '@orch/machinery';
import { endBehind, isGone, type RequestContext, type Upgrade } from '@orch/serving';
import { checkWebSocketKey } from '@orch/streaming';
import type { AgentConnector } from './agent-connector.js';
import { CommandMessages, V5 } from './command-messages.js';
import { dialMessage } from './dial-errors.js';
import { boundIdleness } from './idle-bound.js';
import { refusalText } from './refusal-text.js';
import { isSpdy, spdyHeaders } from './request-headers.js';
import { acceptSession, type SessionRequest } from './session-request.js';

/** The protocol of commands whose end is a Status, which all agents speak over SPDY. */
const V4 = 'v4.channel.k8s.io';

/**
 * Runs a command on an agent that speaks SPDY/3.1 for a client that speaks the subprotocol {@link V5}; resolves once the
 * WebSocket is open. A failure of the agent is told on the channel of errors: a client that gets an answer of HTTP tries
 * SPDY instead, which proxies in between may not pass.
 * @throws StatusError 400 for an invalid handshake
 */
export async function translateCommand(
  request: SessionRequest,
  connector: AgentConnector,
  backend: NodeBackend,
  session: CommandSession,
): Promise<void> {
  const { ctx, idleMs } = request;
  checkWebSocketKey(ctx.req);
  const agent = await agentFor(ctx, connector, backend);
  if (!agent) return;
  const command = new CommandMessages(session);
  const messages = acceptSession(request, V5, command);
  if (agent instanceof StatusError) {
    if (messages) command.fail(messages, agent);
    return;
  }
  const { socket, head } = agent;
  if (!messages) return void socket.destroy();
  socket.unshift(head);
  socket.setNoDelay(true);
  boundIdleness(ctx, socket, idleMs);
  command.join(messages, socket, () => endBehind(ctx, socket));
}

/** Connects to the agent; the failure where there is no connection, undefined for a client that is gone. */
async function agentFor(
  ctx: RequestContext,
  connector: AgentConnector,
  backend: NodeBackend,
): Promise<Upgrade | StatusError | undefined> {
  try {
    const sent = { method: 'POST', headers: spdyHeaders(ctx, [V4]), body: undefined };
    const { message, switched } = await connector.send(ctx, backend, sent);
    if (switched && isSpdy(message) && message.headers['x-stream-protocol-version'] === V4) return switched;
    switched?.socket.destroy();
    return failure(
      `unable to upgrade connection: ${switched ? 'it is not the protocol asked for' : await reasonOf(message)}`,
    );
  } catch (error) {
    if (isGone(ctx)) return undefined;
    if (error instanceof StatusError) return error;
    return failure(`error sending request: Post ${JSON.stringify(urlOf(backend))}: ${dialMessage(error)}`);
  }
}

async function reasonOf(message: IncomingMessage): Promise<string> {
  const text = await refusalText(message);
  return text === '' ? `status code ${message.statusCode}` : text.trimEnd();
}

const failure = (why: string): StatusError =>
  new StatusError('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
