import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { UserInfo } from '@orch/authentication';
import { type Extension, remoteIdentity } from './forward.js';

/** The user as whom this server itself sends requests to others. */
const AGGREGATOR: UserInfo = { name: 'system:kube-aggregator', groups: ['system:masters'], extra: {} };

interface Fetching {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for all of it. */
  readonly limitMs: number;
  /** Largest body; a larger one is an error. */
  readonly maxBytes: number;
}

/** An answer, whatever its status. */
export interface Fetched {
  /** Status code of the response. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: IncomingHttpHeaders;
  /** The whole body. */
  readonly body: Buffer;
}

/**
 * Fetches a document from another server, as the aggregator. Follows no redirect.
 * @throws Error saying why there is no response
 */
export function fetchFrom(extension: Extension, path: string, fetching: Fetching): Promise<Fetched> {
  const { host, port, serverName, agent } = extension;
  const { headers, limitMs, maxBytes } = fetching;
  return new Promise((resolve, reject) => {
    const asked = request({
      ...{ host, port, servername: serverName, agent, path },
      headers: { host: serverName, ...headers, ...remoteIdentity(AGGREGATOR) },
    });
    const limit = setTimeout(() => asked.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs);
    let isAnswered = false;
    asked.on('error', reject).once('close', () => {
      clearTimeout(limit);
      // Such as after an upgrade response, which emits no further event.
      if (!isAnswered) reject(new Error('the connection has ended without an answer'));
    });
    asked.once('response', (answer) => {
      isAnswered = true;
      const { statusCode: status = 0, headers: answered } = answer;
      bodyOf(answer, maxBytes).then((body) => resolve({ status, headers: answered, body }), reject);
    });
    asked.end();
  });
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
