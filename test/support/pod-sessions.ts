import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type SpdyStream, serveSpdy } from './spdy.js';

/** Sizes of the pieces that floods have written, by any agent of the process. */
export const flooded: number[] = [];

const SUCCESS = JSON.stringify({ metadata: {}, status: 'Success' });

const failed = (code: string): string =>
  JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: `command terminated with exit code ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: code }] },
  });

const switched = (protocol: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`;

/**
 * Does what an agent of release 1.27 does with exec, attach and port-forward over SPDY, for pods that are made up: `cat` sends back what
 * it gets, `flood N` writes so many MiB, `stall` reads nothing, `sizes` writes the sizes of its terminal until its input ends, `break` breaks the
 * connection, `exit N` ends with that code, any other command is written to standard output; a port sends back what it gets, in capitals.
 * WebSocket is refused, as it does not know the versions that newer clients ask for.
 */
export function servePodSessions(req: IncomingMessage, socket: Socket, head: Buffer): void {
  if (head.length > 0) socket.unshift(head);
  const url = new URL(req.url ?? '/', 'https://agent');
  if (req.headers.upgrade?.toLowerCase() !== 'spdy/3.1') {
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 17\r\nConnection: close\r\n\r\nunable to upgrade');
    return;
  }
  const isForward = url.pathname.startsWith('/portForward/');
  socket.write(switched(isForward ? 'portforward.k8s.io' : 'v4.channel.k8s.io'));
  const served = isForward ? serveSpdy(socket, forwarding()) : serveSpdy(socket, new Session(url, socket).opened);
  served.catch(() => socket.destroy());
}

/** Serves the ports of a pod: each connection has a stream for errors, which is opened first, and one for its data. */
function forwarding(): (stream: SpdyStream) => void {
  const errors = new Map<string, SpdyStream>();
  return (stream) => {
    const id = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      errors.set(id, stream);
      return;
    }
    stream.onData = (bytes) => stream.write(Buffer.from(bytes.toString('latin1').toUpperCase(), 'latin1'));
    stream.onEnd = () => {
      stream.end();
      errors.get(id)?.end();
    };
  };
}

/** A command that runs in a pod, once all of its streams are there. */
class Session {
  readonly #streams = new Map<string, SpdyStream>();
  readonly #wanted: number;

  constructor(
    private readonly url: URL,
    private readonly socket: Socket,
  ) {
    const isTerminal = url.searchParams.has('tty');
    // A terminal has one output.
    const names = ['input', 'output', ...(isTerminal ? ['tty'] : ['error'])].filter((name) =>
      url.searchParams.has(name),
    );
    this.#wanted = names.length + 1;
  }

  readonly opened = (stream: SpdyStream): void => {
    this.#streams.set(stream.headers.get('streamtype') ?? '', stream);
    if (this.#streams.size === this.#wanted) this.#run();
  };

  #run(): void {
    const [program = '', ...args] = this.url.searchParams.getAll('command');
    const [input, output] = [this.#streams.get('stdin'), this.#streams.get('stdout')];
    if (program === 'cat' && input) {
      input.onData = (bytes) => output?.write(bytes);
      input.onEnd = () => this.#end(SUCCESS);
    } else if (program === 'flood') void this.#flood(Number(args[0]));
    else if (program === 'stall' && input) input.onData = () => new Promise(() => undefined);
    else if (program === 'sizes' && input) {
      const sizes = this.#streams.get('resize');
      if (sizes) sizes.onData = (bytes) => output?.write(bytes);
      input.onEnd = () => this.#end(SUCCESS);
    } else if (program === 'break') this.socket.destroy();
    else if (program === 'exit') this.#end(failed(args[0] ?? '1'));
    else {
      void output?.write(`${[program, ...args].join(' ')}\n`);
      this.#end(SUCCESS);
    }
  }

  async #flood(pieces: number): Promise<void> {
    const [output, piece] = [this.#streams.get('stdout'), Buffer.alloc(1 << 20, 'x')];
    for (let sent = 0; sent < pieces && !this.socket.destroyed; sent++) {
      await output?.write(piece);
      flooded.push(piece.length);
    }
    this.#end(SUCCESS);
  }

  #end(status: string): void {
    this.#streams.get('stdout')?.end();
    this.#streams.get('stderr')?.end();
    this.#streams.get('error')?.end(status);
    this.socket.end();
  }
}
