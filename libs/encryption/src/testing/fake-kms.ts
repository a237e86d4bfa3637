import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { Reader, Writer } from 'protobufjs/minimal.js';

const PREFIX_BYTES = 5;
const field = (number: number): number => (number << 3) | 2;

/** A plugin of a key management service, which keeps its keys in memory. It speaks version 2 over a Unix socket. */
export class FakeKms {
  /** Key that it encrypts with, and by which id. */
  keyId = 'key-1';
  /** What it says of itself. */
  healthz = 'ok';
  version = 'v2';
  /** Whether it decrypts everything to something else. */
  lies = false;
  /** Codes of gRPC, by number, that methods are answered with in the place of what they should be. */
  readonly failing = new Map<string, number>();
  /** What it answers, by number, where it cannot decrypt: as plugins in Go do, 2 (`Unknown`). */
  unknownKeyCode = 5;
  /** Methods that are never answered. */
  readonly hanging = new Set<string>();
  /** How the next call is turned away without being looked at: by itself, or as the connection is to end. Of that nobody hears twice. */
  turnsAway: 'refused' | 'goaway' | undefined;
  /** Methods that were called. */
  readonly calls: string[] = [];
  readonly #keys = new Map<string, Buffer>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  /** @param path of its socket */
  constructor(readonly path: string) {}

  /** As it stands in a configuration. */
  get endpoint(): string {
    return `unix://${this.path}`;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sessions.size;
  }

  async start(): Promise<void> {
    const server = createServer();
    this.#server = server;
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (this.turnsAway) this.#turnAway(stream, this.turnsAway);
      else this.#answer(stream, headers);
    });
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
  }

  /** Keys stay known: it can be started again. */
  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
    rmSync(this.path, { force: true });
  }

  /** Nothing that a key has encrypted can be decrypted any more. */
  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      const method = String(headers[':path']).split('/').at(-1) ?? '';
      this.calls.push(method);
      if (this.hanging.has(method)) return;
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      const code = this.failing.get(method);
      if (code !== undefined)
        return stream.respond({ ...head, 'grpc-status': `${code}`, 'grpc-message': 'simulated' }, { endStream: true });
      try {
        const message = this.#carryOut(method, Buffer.concat(pieces).subarray(PREFIX_BYTES));
        stream.respond(head, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
        const prefix = Buffer.alloc(PREFIX_BYTES);
        prefix.writeUInt32BE(message.length, 1);
        stream.end(Buffer.concat([prefix, message]));
      } catch (error) {
        const numbered = encodeURIComponent((error as Error).message);
        stream.respond(
          { ...head, 'grpc-status': `${this.unknownKeyCode}`, 'grpc-message': numbered },
          { endStream: true },
        );
      }
    });
  }

  #turnAway(stream: ServerHttp2Stream, how: 'refused' | 'goaway'): void {
    this.turnsAway = undefined;
    if (how === 'refused') stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else {
      // What it names as the last is the one before.
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, Math.max(0, (stream.id ?? 0) - 2));
      stream.session?.close();
    }
  }

  #carryOut(method: string, request: Buffer): Uint8Array {
    const numbered = fieldsOf(request);
    if (method === 'Status') return texts([1, this.version], [2, this.healthz], [3, this.keyId]).finish();
    if (method === 'Encrypt') {
      const writer = Writer.create()
        .uint32(field(1))
        .bytes(this.#sealed(this.keyId, numbered.get(1) ?? Buffer.alloc(0)));
      const annotation = texts([1, 'kek.example.com'], [2, 'abc']).finish();
      return writer.uint32(field(2)).string(this.keyId).uint32(field(3)).bytes(annotation).finish();
    }
    if (method === 'Decrypt')
      return Writer.create()
        .uint32(field(1))
        .bytes(this.#opened(String(numbered.get(3)), numbered.get(1) ?? Buffer.alloc(0)))
        .finish();
    throw new Error(`no method ${method}`);
  }

  #sealed(keyId: string, plain: Buffer): Buffer {
    const key = this.#keys.get(keyId) ?? randomBytes(32);
    this.#keys.set(keyId, key);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  #opened(keyId: string, sealed: Buffer): Buffer {
    const key = this.#keys.get(keyId);
    if (!key) throw new Error(`there is no key ${keyId}`);
    const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]);
    return this.lies ? randomBytes(plain.length) : plain;
  }
}

const texts = (...numbered: readonly [number: number, text: string][]): Writer => {
  const writer = Writer.create();
  for (const [number, text] of numbered) writer.uint32(field(number)).string(text);
  return writer;
};

function fieldsOf(message: Buffer): Map<number, Buffer> {
  const reader = Reader.create(message);
  const fields = new Map<number, Buffer>();
  while (reader.pos < reader.len) {
    const key = reader.uint32();
    fields.set(key >>> 3, Buffer.from(reader.bytes()));
  }
  return fields;
}
