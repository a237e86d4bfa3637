import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect as connectTls } from 'node:tls';

/** A request as a client sends it. */
export interface SentRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  /** Media type of body and answer. */
  readonly mediaType: string;
  /** Media type of the body where it is another one. */
  readonly bodyType?: string;
  /** Body; default: none. */
  readonly body?: Buffer;
}

/** Answer to a request. */
export interface Received {
  /** HTTP status. */
  readonly code: number;
  /** Whole body. */
  readonly body: Buffer;
}

/** A connection of a client, for one request at a time. */
export interface WarmUpConnection {
  /** Sends a request. Resolves with the whole answer. */
  send(sent: SentRequest): Promise<Received>;
  /** Closes the connection. */
  close(): void;
}

/** Port of the server on this machine, and how it and its caller are known. */
interface WarmUpAddress {
  /** TCP port on loopback. */
  readonly port: number;
  /** Certificate that is trusted, PEM: that very one, whatever names it is for. */
  readonly certificate: string;
  /** Token that each request bears. */
  readonly token: string;
}

const HOST = '127.0.0.1';

const tlsOf = ({ port, certificate }: WarmUpAddress) => ({
  ...{ host: HOST, port, ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined },
});

const headersOf = ({ mediaType, bodyType = mediaType, body }: SentRequest, token: string): Record<string, string> => ({
  ...{ accept: mediaType, 'user-agent': 'orch/warm-up', authorization: `Bearer ${token}` },
  ...(body && { 'content-type': bodyType, 'content-length': String(body.length) }),
});

/** Opens a connection of HTTP/1.1. */
export function openHttp1(address: WarmUpAddress): WarmUpConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...tlsOf(address) });
  return {
    async send(sent) {
      const { method, path, body } = sent;
      const asking = request({ agent, ...tlsOf(address), method, path, headers: headersOf(sent, address.token) });
      // What happens behind the answer's head is reported by its body.
      asking.on('error', () => undefined).end(body);
      const [answer] = await once(asking, 'response');
      return { code: answer.statusCode, body: await whole(answer) };
    },
    close: () => agent.destroy(),
  };
}

/** Opens a connection of HTTP/2. */
export function openHttp2(address: WarmUpAddress): WarmUpConnection {
  const session = connect(`https://${HOST}:${address.port}`, {
    createConnection: () => connectTls({ ...tlsOf(address), ALPNProtocols: ['h2'] }),
  });
  // Each request reports it.
  session.on('error', () => undefined);
  return {
    async send(sent) {
      const { method, path, body } = sent;
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: path,
        ...headersOf(sent, address.token),
      });
      stream.on('error', () => undefined).end(body);
      const [headers] = await once(stream, 'response');
      return { code: Number(headers[constants.HTTP2_HEADER_STATUS]), body: await whole(stream) };
    },
    close: () => session.destroy(),
  };
}

async function whole(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
