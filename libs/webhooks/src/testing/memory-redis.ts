import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** As much of a Redis as verdicts need, in memory: what is kept there can be looked at and spoilt. */
export class MemoryRedis {
  readonly values = new Map<string, string>();
  /** Names of the commands so far, without those of the connection. */
  readonly commands: string[] = [];
  /** Whether commands are taken and not answered. */
  silent = false;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(): Promise<MemoryRedis> {
    const redis = new MemoryRedis(createServer());
    await redis.listen();
    return redis;
  }

  async listen(port = 0): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Lets go of all connections, and takes no more. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    let rest = '';
    socket.setEncoding('latin1').on('data', (text) => {
      rest += text;
      for (let read = command(rest); read; read = command(rest)) {
        rest = rest.slice(read.length);
        const answer = this.#answer(read.words);
        if (!this.silent) socket.write(answer, 'latin1');
      }
    });
  }

  #answer([name = '', key = '', value = '']: readonly string[]): string {
    const called = name.toUpperCase();
    if (called === 'INFO') return bulk('loading:0\r\n');
    if (called !== 'GETRANGE' && called !== 'SET') return '-ERR unknown command\r\n';
    this.commands.push(called);
    if (called === 'GETRANGE') return bulk(this.values.get(key) ?? '');
    this.values.set(key, value);
    return '+OK\r\n';
  }
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

/** The first whole command of a text in the protocol of Redis: a list of strings, each with its length before it. */
function command(text: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let left = Number(head[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (!size) return undefined;
    const start = at + size[0].length;
    at = start + Number(size[1]) + 2;
    if (text.length < at) return undefined;
    words.push(text.slice(start, at - 2));
  }
  return { words, length: at };
}
