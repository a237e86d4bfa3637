import { type NodeBackend, unexplained, urlOf } from '@orch/handlers';
import { badRequest, StatusError } from '@orch/machinery';
import { isGone, left, passOn, type RequestContext, type ServerAnswer } from '@orch/serving';
import type { AgentConnector } from './agent-connector.js';
import { agentRefusal } from './agent-refusal.js';
import { dialMessage, isUnverified } from './dial-errors.js';
import { logProtocol, passLogMessages } from './log-messages.js';
import type { LogMetrics } from './log-metrics.js';
import { refusalText } from './refusal-text.js';

/** The way to logs. */
interface LogSource {
  readonly connector: AgentConnector;
  readonly metrics: LogMetrics;
  /** Milliseconds for the client of a WebSocket to read what is left behind the log's end; 0 is no bound. */
  readonly unreadMs: number;
}

/** Resource and object of a log, as errors name them. */
interface About {
  readonly resource: string;
  readonly name: string;
}

/**
 * Answers with the log that an agent sends, as it comes; to a client that wants a WebSocket, as its messages.
 * @throws StatusError of the agent; 500 when it cannot be reached, 400 for an address that is not allowed, 400 or 403
 * for a WebSocket that cannot be
 */
export async function passLog(
  ctx: RequestContext,
  { connector, metrics, unreadMs }: LogSource,
  backend: NodeBackend,
  about: About,
): Promise<void> {
  metrics.wanted(backend.serves !== 'unverified-agent');
  const protocol = ctx.upgrade && logProtocol(ctx);
  const message = await ask(ctx, { connector, metrics }, backend);
  if (!message) return;
  const { statusCode = 0, headers } = message;
  if (isRedirect(statusCode) && headers.location !== undefined) {
    message.destroy();
    throw unexplained(`Get ${JSON.stringify(resolved(headers.location, urlOf(backend)))}: redirects forbidden`);
  }
  if (statusCode < 200 || statusCode > 206) throw await refusalOf(message, about);
  if (ctx.upgrade) return passLogMessages(ctx, ctx.upgrade, message, protocol, unreadMs);
  message.statusCode = 200;
  message.headers = { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' };
  ctx.res.setHeader('Audit-Id', ctx.requestId);
  passOn(ctx, message);
  await left(ctx);
}

async function ask(
  ctx: RequestContext,
  { connector, metrics }: Pick<LogSource, 'connector' | 'metrics'>,
  backend: NodeBackend,
): Promise<ServerAnswer | undefined> {
  try {
    return await connector.get(ctx, backend);
  } catch (error) {
    if (isUnverified(error)) metrics.unverified();
    if (isGone(ctx)) return undefined;
    if (error instanceof StatusError) throw error;
    throw unexplained(`Get ${JSON.stringify(urlOf(backend))}: ${dialMessage(error)}`);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const isRedirect = (code: number): boolean => REDIRECTS.has(code);

/** The address that a redirect leads to; as it came where it is none. */
const resolved = (location: string, base: string): string => URL.parse(location, base)?.href ?? location;

/** The error of an agent as a Status, with its text. */
async function refusalOf(message: ServerAnswer, about: About): Promise<StatusError> {
  const text = await refusalText(message);
  const { statusCode: code = 0 } = message;
  if (code === 400) return badRequest(text);
  if (code !== 500) return agentRefusal(code, text, about);
  return new StatusError('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}
