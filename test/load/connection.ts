import { connect, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';

/** How to reach a server; plain data, so that it can be sent to worker processes. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** TLS with these PEM texts; plain TCP when absent. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /** Bearer token. */
  readonly token?: string;
  /** Prefix of every path, for example `/clusters/root`; none if absent. */
  readonly base?: string;
  /** Address of this side, if it is to be a certain one: whoever has another is another machine to a server. */
  readonly from?: string;
}

export interface SocketOptions {
  /** Address of this side: one address has only some 28,000 ports for each port of a server. */
  readonly localAddress?: string;
  /** Reads into one buffer for all sockets, where a buffer for each would cost the client more than its reading. */
  readonly onread?: OnReadOpts;
}

export function openSocket(endpoint: Endpoint, options: SocketOptions = {}): Promise<Socket> {
  const { host, port, tls, from } = endpoint;
  const own = { ...(from !== undefined && { localAddress: from }), ...options };
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host, port, secureContext: secureContextOf(tls), ...own })
      : connect({ host, port, ...own });
    socket.setNoDelay(true);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

type Tls = NonNullable<Endpoint['tls']>;

const contexts = new WeakMap<Tls, SecureContext>();

/**
 * Creates a context for all connections of an endpoint, so that thousands of clients do not read the certificates
 * again.
 */
export function secureContextOf(tls: Tls): SecureContext {
  const made = contexts.get(tls) ?? createSecureContext({ ...tls });
  contexts.set(tls, made);
  return made;
}

/** The bytes of a request head, with a body if there is one. `headers` are further ones, and an `Accept` in the place of JSON's. */
export function requestBytes(
  endpoint: Endpoint,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const lines = [
    `${method} ${endpoint.base ?? ''}${path} HTTP/1.1`,
    `Host: ${endpoint.host}:${endpoint.port}`,
    `Accept: ${headers.Accept ?? 'application/json'}`,
  ];
  if (endpoint.token !== undefined) lines.push(`Authorization: Bearer ${endpoint.token}`);
  if (body !== undefined) {
    lines.push(
      `Content-Type: ${headers['Content-Type'] ?? 'application/json'}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    );
  }
  const others = Object.entries(headers).filter(([name]) => name !== 'Content-Type' && name !== 'Accept');
  for (const [name, value] of others) lines.push(`${name}: ${value}`);
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  return Buffer.isBuffer(body) ? Buffer.concat([Buffer.from(head), body]) : Buffer.from(head + (body ?? ''));
}

export interface Answer {
  readonly status: number;
  /** Bytes of the body as it went over the wire, chunk framing excluded. */
  readonly bytes: number;
  /** The body, when it was asked for. */
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * One keep-alive connection with one request at a time. It does as little as it can for each byte: what is measured
 * is the server, not its client.
 */
export class Connection {
  readonly #socket: Socket;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  #reader: ResponseReader | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data) => this.#receive(data));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static async open(endpoint: Endpoint): Promise<Connection> {
    return new Connection(await openSocket(endpoint));
  }

  request(bytes: Buffer, keepBody = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#reader = new ResponseReader(keepBody);
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    const answer = this.#reader?.push(data);
    if (!answer) return;
    this.#reader = undefined;
    this.#waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** Reads one response; understands `Content-Length` and chunked bodies (RFC 9112, sections 6 and 7.1). */
class ResponseReader {
  readonly #keepBody: boolean;
  readonly #kept: Buffer[] = [];
  #head: Buffer = EMPTY;
  #status = 0;
  /** Body bytes still to come before the next decision; undefined while the head is read. */
  #left: number | undefined;
  #chunks: ChunkReader | undefined;
  #bytes = 0;

  constructor(keepBody: boolean) {
    this.#keepBody = keepBody;
  }

  /** The answer, once its last byte was pushed. */
  push(data: Buffer): Answer | undefined {
    let rest = data;
    if (this.#left === undefined) {
      this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return undefined;
      this.#readHead(this.#head.toString('latin1', 0, end));
      rest = this.#head.subarray(end + HEAD_END.length);
    }
    const complete = this.#chunks ? this.#chunks.push(rest) : this.#pushPlain(rest);
    if (!complete) return undefined;
    return { status: this.#status, bytes: this.#bytes, body: this.#keepBody ? Buffer.concat(this.#kept) : EMPTY };
  }

  #readHead(head: string): void {
    this.#status = Number(head.slice(9, 12));
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#chunks = new ChunkReader((data) => this.#take(data));
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  }

  #pushPlain(data: Buffer): boolean {
    this.#take(data);
    this.#left = (this.#left ?? 0) - data.length;
    return this.#left <= 0;
  }

  #take(data: Buffer): void {
    this.#bytes += data.length;
    if (this.#keepBody) this.#kept.push(data);
  }
}

/** Takes a chunked body (RFC 9112, section 7.1) apart. */
export class ChunkReader {
  readonly #take: (data: Buffer) => void;
  #left = 0;
  #head = '';

  /** `take` gets the data of the body, in pieces of any size. */
  constructor(take: (data: Buffer) => void) {
    this.#take = take;
  }

  /** Returns true at the end of the body. */
  push(data: Buffer): boolean {
    let at = 0;
    while (at < data.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, data.length - at);
        this.#take(data.subarray(at, at + taken));
        this.#left -= taken;
        at += taken;
        continue;
      }
      // Between chunks: the CRLF that ends the one before, then the size of the next in hexadecimal, then CRLF.
      const byte = data[at++] ?? 0;
      if (byte !== 10) {
        if (byte !== 13) this.#head += String.fromCharCode(byte);
        continue;
      }
      if (this.#head === '') continue;
      this.#left = Number.parseInt(this.#head, 16);
      this.#head = '';
      if (this.#left === 0) return true;
    }
    return false;
  }
}
