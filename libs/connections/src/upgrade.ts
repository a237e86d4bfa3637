import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type NodeBackend, unexplained } from '@orch/handlers';
import { StatusError } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { cutOff, isGone, left, passOn, type RequestContext, type Upgrade } from '@orch/serving';
import type { AgentConnector } from './agent-connector.js';
import { dialMessage } from './dial-errors.js';
import { type AnswerHead, joinConnections } from './exchange.js';
import { boundIdleness } from './idle-bound.js';
import { REFUSAL_MS } from './refusal-text.js';
import { upgradeHeaders } from './request-headers.js';

const BAD_REQUEST = 400;

/** Bounds of a connection. */
interface ConnectionBounds {
  /** See {@link boundIdleness}. */
  readonly idleMs: number;
  /** See {@link joinConnections}. */
  readonly unreadMs: number;
}

/**
 * Connects a client that asks for another protocol to a server of a node; resolves once bytes are passed on, or the
 * refusal of the server has been.
 * @throws StatusError 500 when there is no connection, or no other protocol; 400 for an address that is not allowed
 */
export async function passUpgrade(
  ctx: RequestContext,
  client: Upgrade,
  connector: AgentConnector,
  backend: NodeBackend,
  { idleMs, unreadMs }: ConnectionBounds,
): Promise<void> {
  const { method = 'GET' } = ctx.req;
  const answer = await askForUpgrade(ctx, connector, backend, { method, headers: upgradeHeaders(ctx) });
  if (!answer) return;
  joinConnections(ctx, client, answer.message, answer.switched, unreadMs);
  boundIdleness(ctx, answer.switched.socket, idleMs);
}

/**
 * Asks a server of a node for another protocol.
 * @returns the connection that goes on with it; undefined where the client is gone, or the refusal has been passed on
 * @throws StatusError 500 when there is no connection, or no other protocol; 400 for an address that is not allowed
 */
export async function askForUpgrade(
  ctx: RequestContext,
  connector: AgentConnector,
  backend: NodeBackend,
  sent: { readonly method: string; readonly headers: OutgoingHttpHeaders },
): Promise<Required<AnswerHead> | undefined> {
  const answer = await ask(ctx, connector, backend, sent);
  if (!answer) return undefined;
  const { message, switched } = answer;
  if (switched) return { message, switched };
  const { statusCode = 0 } = message;
  if (statusCode < BAD_REQUEST) {
    message.destroy();
    throw unexplained(`invalid upgrade response: status code ${statusCode}`);
  }
  await passRefusal(ctx, message);
  return undefined;
}

async function ask(
  ctx: RequestContext,
  connector: AgentConnector,
  backend: NodeBackend,
  sent: { readonly method: string; readonly headers: OutgoingHttpHeaders },
): Promise<AnswerHead | undefined> {
  try {
    return await connector.send(ctx, backend, { ...sent, body: undefined });
  } catch (error) {
    if (isGone(ctx)) return undefined;
    if (error instanceof StatusError) throw error;
    const isConnected = error instanceof Error && error.message === 'socket hang up';
    throw unexplained(isConnected ? 'unexpected EOF' : `error dialing backend: ${dialMessage(error)}`);
  }
}

async function passRefusal(ctx: RequestContext, message: IncomingMessage): Promise<void> {
  ctx.res.setHeader('Audit-Id', ctx.requestId);
  const cancel = systemClock.after(REFUSAL_MS, () => cutOff(ctx));
  passOn(ctx, message);
  await left(ctx);
  cancel();
}
