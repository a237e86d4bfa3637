import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';

/** A proxy on loopback, which keeps what it was asked for. */
export interface TestProxy {
  /** `host:port` of it. */
  readonly place: string;
  /** `host:port` asked for and, behind a space, the user and password shown. */
  readonly asked: string[];
  stop(): Promise<void>;
}

/** Which server a proxy reaches whatever name is asked for, and what it answers to `CONNECT`. */
export interface ProxySettings {
  readonly port: number;
  /** Status line and headers instead of a tunnel. */
  readonly answer?: string;
  /** Certificate and key of an `https` proxy. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A proxy that knows `CONNECT`. */
export async function startHttpProxy({ port, answer, tls }: ProxySettings): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = tls ? createSecureServer(tls) : createServer();
  server.on('connect', (request, socket: Socket) => {
    const basic = request.headers['proxy-authorization']?.replace('Basic ', '');
    asked.push([request.url, ...(basic ? [Buffer.from(basic, 'base64').toString()] : [])].join(' '));
    if (answer !== undefined) socket.end(answer);
    else join(socket, port, sockets, () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return stoppable(server, sockets, asked);
}

/** A proxy that knows SOCKS 5; with `user` it wants that user, as `name:password`. */
export async function startSocksProxy(port: number, user?: string): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => void serveSocks(socket).catch(() => socket.destroy()));
  async function serveSocks(socket: Socket): Promise<void> {
    const [, methods = 0] = await take(socket, 2);
    await take(socket, methods);
    socket.write(Buffer.from([5, user === undefined ? 0 : 2]));
    const shown = user === undefined ? [] : [await takeUser(socket)];
    if (shown.length > 0) socket.write(Buffer.from([1, shown[0] === user ? 0 : 1]));
    const [, , , type] = await take(socket, 4);
    const bytes = type === 3 ? ((await take(socket, 1))[0] ?? 0) : type === 4 ? 16 : 4;
    const host = await take(socket, bytes);
    asked.push(
      [`${type === 3 ? host : host.toString('hex')}:${(await take(socket, 2)).readUInt16BE()}`, ...shown].join(' '),
    );
    join(socket, port, sockets, () => socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 1])));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return stoppable(server, sockets, asked);
}

async function takeUser(socket: Socket): Promise<string> {
  const counted = async () => (await take(socket, (await take(socket, 1))[0] ?? 0)).toString();
  await take(socket, 1);
  return `${await counted()}:${await counted()}`;
}

async function take(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const piece: Buffer | null = bytes === 0 ? Buffer.alloc(0) : socket.read(bytes);
    if (piece?.length === bytes) return piece;
    if (socket.readableEnded || socket.destroyed) throw new Error('gone');
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
}

function join(socket: Socket, port: number, sockets: Set<Socket>, ready: () => void): void {
  const behind = connect({ host: '127.0.0.1', port }, () => {
    ready();
    behind.pipe(socket).pipe(behind);
  });
  for (const one of [socket, behind]) sockets.add(one.on('error', () => {}));
}

function stoppable(
  server: ReturnType<typeof createTcpServer>,
  sockets: ReadonlySet<Socket>,
  asked: string[],
): TestProxy {
  return {
    place: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
