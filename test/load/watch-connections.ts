import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type SecureClientSessionOptions,
} from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { type Endpoint, openSocket, requestBytes, secureContextOf } from './connection.js';

/** Receives the bytes of a watch's body, over HTTP/1.1 with their chunk framing. */
export interface WatchSink {
  data(bytes: Buffer): void;
  ended(): void;
}

/** Ends what was opened. */
export type Close = () => void;

/** Buffer that all sockets of the process share: each read is processed before the next one. */
const READ_BUFFER = Buffer.allocUnsafe(256 * 1024);
/** Flow control of HTTP/2 that a careless default would make the limit. */
const WINDOW = 16 << 20;

/** A watch on a connection of its own; resolves when it was answered with 200. */
export async function openHttp1Watch(
  endpoint: Endpoint,
  path: string,
  sink: WatchSink,
  localAddress?: string,
): Promise<Close> {
  let receive: (data: Buffer) => void = () => {};
  const onread = {
    buffer: READ_BUFFER,
    callback: (length: number, buffer: Uint8Array) => {
      receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  };
  const socket = await openSocket(endpoint, { onread, ...(localAddress && { localAddress }) });
  return new Promise((resolve, reject) => {
    let head = '';
    receive = (data) => {
      const text = head + data.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) {
        head = text;
        return;
      }
      if (!text.startsWith('200', 9)) {
        reject(new Error(`${path}: ${text}`));
        return void socket.destroy();
      }
      receive = (bytes) => sink.data(bytes);
      const body = end + 4 - head.length;
      if (data.length > body) sink.data(data.subarray(body));
      resolve(() => socket.destroy());
    };
    const ended = () => {
      reject(new Error(`${path}: the server closed the connection`));
      sink.ended();
    };
    socket.on('error', ended);
    socket.on('close', ended);
    socket.write(requestBytes(endpoint, 'GET', path));
  });
}

/** Whether a server takes HTTP/2, as it says itself in the TLS handshake (ALPN, RFC 7301). */
export function speaksHttp2({ host, port, tls }: Endpoint): Promise<boolean> {
  if (!tls) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const options = { host, port, secureContext: secureContextOf(tls), ALPNProtocols: ['h2', 'http/1.1'] };
    const socket = connectTls(options, () => {
      resolve(socket.alpnProtocol === 'h2');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** A connection of HTTP/2 (RFC 9113), which must be over TLS, with room for what its watches say. */
export async function openHttp2Session({ host, port, tls, from }: Endpoint): Promise<ClientHttp2Session> {
  if (!tls) throw new Error('HTTP/2 needs TLS here');
  const options: SecureClientSessionOptions = {
    secureContext: secureContextOf(tls),
    settings: { initialWindowSize: WINDOW, enablePush: false },
    ...(from !== undefined && { localAddress: from }),
  };
  const session = connectHttp2(`https://${host}:${port}`, options);
  await new Promise<void>((resolve, reject) => {
    session.once('error', reject);
    session.once('connect', () => resolve());
  });
  session.on('error', () => {});
  session.setLocalWindowSize(WINDOW);
  return session;
}

/** A watch as a stream of such a connection; resolves when it was answered with 200. */
export function openHttp2Watch(
  session: ClientHttp2Session,
  { token, base = '' }: Endpoint,
  path: string,
  sink: WatchSink,
): Promise<Close> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':path': `${base}${path}`,
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    });
    stream.once('response', ({ ':status': status }) => {
      if (status === 200) resolve(() => stream.close(constants.NGHTTP2_CANCEL));
      else {
        reject(new Error(`${path}: ${status}`));
        stream.close(constants.NGHTTP2_CANCEL);
      }
    });
    stream.on('data', (data: Buffer) => sink.data(data));
    stream.on('error', reject);
    stream.on('close', () => {
      reject(new Error(`${path}: the server closed the stream`));
      sink.ended();
    });
  });
}

/** Watches as streams of one connection; resolves when all were answered with 200. */
export async function openHttp2Watches(
  endpoint: Endpoint,
  watches: readonly { readonly path: string; readonly sink: WatchSink }[],
): Promise<Close> {
  const session = await openHttp2Session(endpoint);
  await Promise.all(watches.map(({ path, sink }) => openHttp2Watch(session, endpoint, path, sink)));
  return () => session.destroy();
}
