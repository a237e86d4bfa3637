import { peerOptions } from '@orch/tls';
import { Agent } from 'undici';
import { connectionMessage } from './connection-message.js';
import { connectorFor } from './connector.js';
import { TransportError } from './errors.js';

/** How documents are read; everything has a default. */
export interface DocumentReaderSettings {
  /** Bundle that certificates must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** `User-Agent` header. Default `client`. */
  readonly userAgent?: string;
  /** How long the whole may take, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Bytes beyond which a document is given up. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** Reads documents that stand anywhere on the web, as those of issuers of tokens do: over `https` alone, through the proxies of the environment, and following no redirect. */
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
   * The document at a URL.
   * @param token bearer token to show there
   * @throws TransportError for another scheme than `https`, a status other than 200, and when there is no whole answer
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

  /** Closes all connections, also of documents that are being read. */
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
