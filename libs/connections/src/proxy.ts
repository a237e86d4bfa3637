import type { IncomingMessage } from 'node:http';
import type { NodeBackend } from '@orch/handlers';
import { StatusError } from '@orch/machinery';
import { hostOf, isGone, left, passOn, type RequestContext } from '@orch/serving';
import type { AgentConnector } from './agent-connector.js';
import { dialMessage } from './dial-errors.js';
import { Links } from './links.js';
import { rewriteLinks } from './page-links.js';
import { proxyHeaders } from './request-headers.js';

/** Headers of an answer that only this server sets: pages of other origins may not read what is behind a proxy. */
const CORS = ['credentials', 'headers', 'methods', 'origin'].map((what) => `access-control-allow-${what}`);

/**
 * Passes a request on to a server of a node, and its answer back, with the bodies as they come. Links in the answer are
 * led back below the path of the proxy.
 * @param prefix path of the proxy, which the path of the backend follows
 * @throws StatusError 503 when the backend cannot be reached; 400 for an address that is not allowed
 */
export async function passProxied(
  ctx: RequestContext,
  connector: AgentConnector,
  backend: NodeBackend,
  prefix: string,
): Promise<void> {
  const message = await ask(ctx, connector, backend);
  if (!message) return;
  const { headers } = message;
  for (const name of [...CORS, 'audit-id']) delete headers[name];
  headers['cache-control'] ??= 'no-cache, private';
  ctx.res.setHeader('Audit-Id', ctx.requestId);
  const { host, port } = backend;
  const links = new Links({
    prefix,
    backend: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    host: hostOf(ctx.req) ?? '',
  });
  if (headers.location !== undefined) headers.location = links.led(headers.location);
  else if (ctx.req.method !== 'HEAD' && isPage(message)) {
    rewriteLinks(ctx, message, links);
    await left(ctx);
    return;
  }
  passOn(ctx, message);
  await left(ctx);
}

const isPage = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'text/html';

async function ask(ctx: RequestContext, connector: AgentConnector, backend: NodeBackend) {
  const { method = 'GET' } = ctx.req;
  try {
    return (await connector.send(ctx, backend, { method, headers: proxyHeaders(ctx), body: 'piped' })).message;
  } catch (error) {
    if (isGone(ctx)) return undefined;
    if (error instanceof StatusError) throw error;
    throw new StatusError('ServiceUnavailable', `error trying to reach service: ${dialMessage(error)}`);
  }
}
