import { peerOptions } from '@orch/tls';
import { Agent } from './agent.js';
import { connectionMessage } from './connection-message.js';
import { connectorFor } from './connector.js';
import { TransportError } from './errors.js';

/** Settings of a reader; everything has a default. */
export interface DocumentReaderSettings {
  /** Bundle that certificates must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** `User-Agent` header. Default `client`. */
  readonly userAgent?: string;
  /** Timeout of the whole request, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum bytes of a document. Default 1 MiB. */
  readonly maxBytes?: number;
}

/**
 * Reads public documents, such as those of token issuers: over `https` only, through the proxies of the environment,
 * and following no redirects.
 */
export class DocumentReader {
  readonly #agent: Agent;
  readonly #userAgent: string;
  readonly #timeoutMs: number;

  constructor({ ca, userAgent = 'client', timeoutMs = 10_000, maxBytes = 1 << 20 }: DocumentReaderSettings = {}) {
    this.#userAgent = userAgent;
    this.#timeoutMs = timeoutMs;
    const peer = peerOptions({ ca });
    this.#agent = new Agent({
      maxResponseSize: maxBytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: (options, callback) => {
        const server = `${options.protocol}//${options.host}`;
        connectorFor({ server, ...(ca !== undefined && { ca }) }, { peer })(options, callback);
      },
    });
  }

  /**
   * Reads the document at a URL.
   * @param token bearer token to send
   * @throws TransportError for another scheme than `https`, a status other than 200, and when no complete answer
   * arrives
   */
  async read(url: string, token?: string): Promise<Buffer> {
    const { origin, protocol, pathname, search } = parsed(url);
    if (protocol !== 'https:') throw new TransportError(`GET ${JSON.stringify(url)}: only https is read`);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { statusCode, body } = await this.#agent.request({
        origin,
        path: pathname + search,
        method: 'GET',
        headers: {
          accept: 'application/json',
          'user-agent': this.#userAgent,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        signal,
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`);
      return bytes;
    } catch (error) {
      const why = signal.aborted ? `no answer within ${this.#timeoutMs} ms` : connectionMessage(error);
      throw new TransportError(`GET ${JSON.stringify(url)}: ${why}`, { cause: error });
    }
  }

  /** Closes all connections, also those in use. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new TransportError(`${JSON.stringify(url)} is not a URL`, { cause });
  }
}
