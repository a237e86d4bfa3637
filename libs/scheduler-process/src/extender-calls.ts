import { readFile } from 'node:fs/promises';
import { ApiError, type Connection, Transport } from '@orch/client';
import { type ExtenderAnswer, type ExtenderCall, type ExtenderConfiguration, Extenders } from '@orch/scheduler';

/** Bytes of an extender's answer, at most. */
const MAX_ANSWER_BYTES = 64 << 20;

/** Calls of an extender over HTTP, on connections that are kept. Files of its TLS are read at the first call. */
class ExtenderCalls implements ExtenderCall {
  #transport: Promise<Transport> | undefined;

  constructor(private readonly configuration: ExtenderConfiguration) {}

  /** @throws TransportError where there is no answer within the time; SyntaxError for one that is no JSON */
  async post(url: string, body: unknown, timeoutMs: number): Promise<ExtenderAnswer> {
    this.#transport ??= this.#open().catch((error: unknown) => {
      // Files of its TLS may be there at the next call.
      this.#transport = undefined;
      throw error;
    });
    const { pathname, search } = new URL(url);
    try {
      const { status, body: answer } = await (await this.#transport).request('POST', `${pathname}${search}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body, exactly),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status, body: JSON.parse(answer.toString()) };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.code, body: error.message };
      throw error;
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  async #open(): Promise<Transport> {
    const { urlPrefix, tlsConfig } = this.configuration;
    const { origin } = new URL(urlPrefix);
    const tls = tlsConfig && (await tlsOf(tlsConfig));
    const settings = { maxRetries: 0, maxAnswerBytes: MAX_ANSWER_BYTES, userAgent: 'kube-scheduler' };
    return new Transport({ server: origin, ...tls }, settings);
  }
}

/** Extenders with their connections. */
interface OpenExtenders {
  /** For the scheduler. */
  readonly extenders: Extenders;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Makes the extenders of a configuration. @param onError called with failures that do not keep a pod from being scheduled */
export function openExtenders(
  configurations: readonly ExtenderConfiguration[],
  onError: (extender: string, error: unknown) => void,
): OpenExtenders {
  const opened: ExtenderCalls[] = [];
  const callOf = (configuration: ExtenderConfiguration) => {
    const calls = new ExtenderCalls(configuration);
    opened.push(calls);
    return calls;
  };
  return {
    extenders: new Extenders({ configurations, callOf, onError }),
    async close() {
      await Promise.all(opened.map((calls) => calls.close()));
    },
  };
}

/** Writes whole numbers beyond 2^53 with all of their digits. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? (JSON as unknown as RawJson).rawJSON(String(value)) : value;
}

/** Part of JSON that is in Node and not in the types. */
interface RawJson {
  rawJSON(text: string): unknown;
}

async function tlsOf(tls: NonNullable<ExtenderConfiguration['tlsConfig']>): Promise<Partial<Connection>> {
  const [ca, cert, key] = await Promise.all([
    pemOf(tls.caData, tls.caFile),
    pemOf(tls.certData, tls.certFile),
    pemOf(tls.keyData, tls.keyFile),
  ]);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(tls.serverName !== '' && { tlsServerName: tls.serverName }),
    ...(tls.insecure && { insecureSkipTlsVerify: true }),
  };
}

/** Data wins over a file, as in a kubeconfig. */
async function pemOf(data: string, file: string): Promise<string | undefined> {
  if (data !== '') return Buffer.from(data, 'base64').toString();
  return file === '' ? undefined : readFile(file, 'utf8');
}
