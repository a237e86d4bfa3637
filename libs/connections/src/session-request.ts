import type { RequestContext, Upgrade } from '@orch/serving';
import { MessageConnection, type MessageReceiver, type MessageRequest } from '@orch/streaming';

/** A client's request for a WebSocket, as the API server has it. */
export interface SessionRequest extends Pick<MessageRequest, 'maxMessage' | 'idleMs'> {
  /** The request. */
  readonly ctx: RequestContext;
  /** The connection that the request has come on. */
  readonly client: Upgrade;
}

/** Answers a client's handshake; see {@link MessageConnection.accept}. */
export function acceptSession(
  { ctx, client, maxMessage, idleMs }: SessionRequest,
  protocol: string | undefined,
  receiver: MessageReceiver,
): MessageConnection | undefined {
  ctx.res.statusCode = 101;
  const headers = [`Audit-Id: ${ctx.requestId}`];
  return MessageConnection.accept({ req: ctx.req, client, headers, maxMessage, idleMs }, protocol, receiver);
}
