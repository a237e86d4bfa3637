import type { Socket } from 'node:net';
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';

/** Words of the dictionary of SPDY/3 (draft-mbelshe-httpbis-spdy-00, section 2.6.10.1), each behind its length. */
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status';
const MORE_WORDS = ['200 OK', 'version', 'HTTP/1.1', 'url', 'public', 'set-cookie', 'keep-alive', 'origin'];
const TAIL =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

const sized = (text: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([size, Buffer.from(text)]);
};

/** The dictionary that header blocks are compressed with. */
export const DICTIONARY = Buffer.concat([...[...WORDS.split(' '), ...MORE_WORDS].map(sized), Buffer.from(TAIL)]);

const [SYN_STREAM, SYN_REPLY, PING] = [1, 2, 6];
const FIN = 1;
const HEAD_BYTES = 8;

/** A stream of a session, as the agent sees it. */
export interface AgentStream {
  readonly headers: ReadonlyMap<string, string>;
  /** Resolves once the connection takes more. */
  write(bytes: string | Buffer): Promise<void>;
  /** Ends this side's half. */
  end(bytes?: string | Buffer): void;
  /** Takes what comes, and nothing more comes on the connection until it is through; set once the stream is known. */
  onData: (bytes: Buffer) => unknown;
  /** The other side has ended its half. */
  onEnd: () => void;
}

/**
 * Speaks SPDY/3.1 as a server, as far as clients of exec and port-forward need it: streams that the client opens, without windows.
 * Resolves when the connection has ended.
 * @param opened each new stream
 */
export async function serveSpdy(socket: Socket, opened: (stream: AgentStream) => void): Promise<void> {
  const flush = constants.Z_SYNC_FLUSH;
  const inflate = createInflate({ dictionary: DICTIONARY, flush, finishFlush: flush });
  const deflate = createDeflate({ dictionary: DICTIONARY, flush });
  const streams = new Map<number, AgentStream>();
  let rest = Buffer.alloc(0);
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(5, 3)) {
      const end = HEAD_BYTES + rest.readUIntBE(5, 3);
      const [head, body] = [rest.subarray(0, HEAD_BYTES), rest.subarray(HEAD_BYTES, end)];
      rest = rest.subarray(end);
      const flags = head[4] ?? 0;
      const isControl = (head[0] ?? 0) >= 0x80;
      const type = isControl ? head.readUInt16BE(2) : 0;
      if (!isControl) {
        const stream = streams.get(head.readUInt32BE(0));
        if (body.length > 0) await stream?.onData(body);
        if (flags & FIN) stream?.onEnd();
      } else if (type === PING) socket.write(control(PING, 0, body));
      else if (type === SYN_STREAM) {
        const id = body.readUInt32BE(0);
        const stream = streamOn(socket, id, await headersOf(inflate, body.subarray(10)));
        streams.set(id, stream);
        socket.write(control(SYN_REPLY, 0, Buffer.concat([idOf(id), await compressed(deflate, Buffer.alloc(4))])));
        opened(stream);
      }
    }
  }
}

function streamOn(socket: Socket, id: number, headers: ReadonlyMap<string, string>): AgentStream {
  const send = (flags: number, bytes: string | Buffer): Promise<void> | undefined => {
    const body = Buffer.from(bytes as string);
    if (socket.write(Buffer.concat([idOf(id), head(flags, body.length), body])) || socket.destroyed) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  };
  return {
    headers,
    write: async (bytes) => send(0, bytes),
    end: (bytes = '') => void send(FIN, bytes),
    onData: () => undefined,
    onEnd: () => undefined,
  };
}

const idOf = (id: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes;
};

const head = (flags: number, length: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(flags * 0x1000000 + length);
  return bytes;
};

const control = (type: number, flags: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x80, 3, 0, type]), head(flags, body.length), body]);

/** Passes a block through one of the two streams of compression of a connection. */
function compressed(through: Inflate | Deflate, block: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const take = (piece: Buffer) => pieces.push(piece);
  through.on('data', take);
  return new Promise((resolve, reject) => {
    through.write(block, (error) => {
      through.off('data', take);
      if (error) reject(error);
      else resolve(Buffer.concat(pieces));
    });
  });
}

async function headersOf(inflate: Inflate, block: Buffer): Promise<ReadonlyMap<string, string>> {
  const bytes = await compressed(inflate, block);
  let at = 4;
  const next = (): string => {
    const size = bytes.readUInt32BE(at);
    at += 4 + size;
    return bytes.toString('utf8', at - size, at);
  };
  const headers = new Map<string, string>();
  for (let left = bytes.readUInt32BE(0); left > 0; left--) headers.set(next(), next());
  return headers;
}
