import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const LINE_END = Buffer.from('\r\n');
/**
 * Protocol line of a delivered message: `MSG <subject> <sid> [reply] <bytes>`; `HMSG` has the bytes of headers before
 * those of all.
 */
const MESSAGE = /^H?MSG (\S+) .*?(\d+)$/i;

/** A proxy on loopback in front of NATS that can lose messages: whole ones, so that the connection goes on without a word. */
export class LossyNats {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #seen = 0;
  /** One of this many messages of changes is lost; none if undefined. */
  losesOneIn: number | undefined;
  lost = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => this.#accept(client, connect({ host: '127.0.0.1', port: target })));
  }

  /** Listens on a free port and hands on to another one of loopback. */
  static async open(target: number): Promise<LossyNats> {
    const proxy = new LossyNats(target);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket, server: Socket): void {
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(socket.setNoDelay(true));
      socket
        .on('error', () => undefined)
        .once('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
    }
    client.pipe(server);
    let rest: Buffer = Buffer.alloc(0);
    server.on('data', (piece: Buffer) => {
      rest = this.#pass(Buffer.concat([rest, piece]), client);
    });
  }

  /** Hands on the whole frames that there are. @returns what is left */
  #pass(bytes: Buffer, client: Socket): Buffer {
    let at = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, at)) {
      const [, subject, size] = MESSAGE.exec(bytes.toString('latin1', at, end)) ?? [];
      const next = end + LINE_END.length + (size === undefined ? 0 : Number(size) + LINE_END.length);
      if (next > bytes.length) break;
      if (!this.#loses(subject)) client.write(bytes.subarray(at, next));
      at = next;
    }
    return bytes.subarray(at);
  }

  #loses(subject: string | undefined): boolean {
    if (this.losesOneIn === undefined || !subject?.includes('.changes.')) return false;
    const loses = this.#seen++ % this.losesOneIn === 0;
    if (loses) this.lost++;
    return loses;
  }
}
