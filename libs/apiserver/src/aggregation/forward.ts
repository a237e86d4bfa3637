import { type ClientRequest, type IncomingMessage, validateHeaderValue } from 'node:http';
import { type Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import type { UserInfo } from '@orch/authentication';
import { unavailable } from '@orch/machinery';
import { cutOff, isGone, leaveBody, type RequestContext, type Upgrade } from '../http/context.js';
import { switchProtocols } from '../http/joined-connections.js';
import { OF_THE_CALL, passedOn } from '../http/passed-on.js';
import { REQUEST_ID_HEADER } from '../http/request-id.js';

/** Where the server is that answers for a group-version, and how it is spoken to. */
export interface Extension {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
  /** Name that its certificate must bear, and that it is asked by. */
  readonly serverName: string;
  /** Its connections, with what it is trusted by and shown. */
  readonly agent: Agent;
}

const NOT_ASKED_WITH: ReadonlySet<string> = new Set(OF_THE_CALL);

/** Seconds after which a client may ask again when the server could not be reached. */
const RETRY_SECONDS = 1;

/** What it answers; `switched` when it goes on with another protocol. */
interface Answer {
  readonly message: IncomingMessage;
  readonly switched?: Upgrade;
}

/**
 * Lets another server answer a request: its body goes there and what comes back is passed on, both as they come. Who asks is told in
 * the headers of a front proxy, which that server believes because of the certificate that it is shown.
 * @throws StatusError 503 when it cannot be reached
 */
export async function forward(ctx: RequestContext, extension: Extension): Promise<void> {
  let answer: Answer;
  try {
    answer = await ask(ctx, extension);
  } catch (error) {
    if (isGone(ctx)) return;
    const why = error instanceof Error ? error.message : String(error);
    throw unavailable(`error trying to reach service: ${why}`, RETRY_SECONDS);
  }
  const { message, switched } = answer;
  if (!switched || !ctx.upgrade) return pass(ctx, message);
  if (switchProtocols(ctx, ctx.upgrade, message, switched)) switched.socket.pipe(ctx.upgrade.socket);
}

/**
 * Headers by which a server of Kubernetes knows who asks: groups, and values of one key, one header each. Characters beyond ASCII
 * travel as UTF-8.
 * @throws Error for what no header can hold, such as a line break
 */
export function remoteIdentity({ name, uid, groups, extra }: UserInfo): Record<string, string[]> {
  const headers: Record<string, string[]> = { 'X-Remote-User': [name], 'X-Remote-Group': [...groups] };
  if (uid) headers['X-Remote-Uid'] = [uid];
  for (const [key, values] of Object.entries(extra)) headers[`X-Remote-Extra-${nameOf(key)}`] = [...values];
  for (const [header, values] of Object.entries(headers)) {
    headers[header] = values.map((value) => {
      const bytes = Buffer.from(value).toString('latin1');
      validateHeaderValue(header, bytes);
      return bytes;
    });
  }
  return headers;
}

/** A key as a part of a header's name: all but the characters of names is escaped, as is the sign that escapes. */
const nameOf = (key: string): string =>
  Buffer.from(key)
    .toString('latin1')
    .replace(
      /[^A-Za-z0-9!#$&'*+.^_`|~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );

function ask(ctx: RequestContext, { host, port, serverName, agent }: Extension): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { req, res, user, requestId, trail, upgrade } = ctx;
    const upstream: ClientRequest = request({
      host,
      port,
      servername: serverName,
      agent,
      method: req.method,
      // The path as it was judged here: a URL made of it might name another.
      path: req.url ?? '/',
      headers: {
        ...passedOn(req.headers, NOT_ASKED_WITH),
        ...remoteIdentity(user),
        host: serverName,
        [REQUEST_ID_HEADER]: requestId,
        ...(trail?.span && { traceparent: trail.span.traceparent }),
        ...(upgrade && { Connection: 'Upgrade', Upgrade: req.headers.upgrade ?? 'websocket' }),
      },
    });
    upstream.once('response', (message) => resolve({ message })).on('error', reject);
    upstream.once('upgrade', (message, socket: Socket, head) => resolve({ message, switched: { socket, head } }));
    res.once('close', () => upstream.destroy());
    if (upgrade) upstream.end();
    else req.pipe(upstream);
  });
}

/** Answers with what was answered; what is cut there is cut here. */
function pass(ctx: RequestContext, message: IncomingMessage): void {
  // Of a body that was refused before its end nobody takes the rest.
  leaveBody(ctx);
  ctx.res.writeHead(message.statusCode ?? 502, passedOn(message.headers));
  ctx.res.flushHeaders();
  message.once('close', () => {
    if (!message.complete && !ctx.res.writableEnded) cutOff(ctx);
  });
  message.pipe(ctx.res);
}
