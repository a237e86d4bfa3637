import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { asksForChannels, serveChannels } from './channels.js';
import type { PodLog } from './pod-log.js';
import { type AgentStream, serveSpdy } from './spdy.js';

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
 * Does what an agent of release 1.27 does with exec, attach and port-forward over SPDY and by the channels of WebSockets, for pods that are
 * made up: `cat`, and what is attached to with an input, sends back what it gets, `flood N` writes so many MiB, `stall` reads nothing, `sizes`
 * writes the sizes of its terminal until its input ends, `break` breaks the connection, `exit N` ends with that code, `complain` writes to
 * its standard error, `log` to the log, `sh` and `bash` say in capitals what is typed, any other command is written to standard output; a
 * port sends back what it gets, in capitals.
 * Subprotocols of newer agents are refused.
 */
export const servePodSessions = podSessions();

/** As {@link servePodSessions}, with a log to write to. */
export function podSessions(log?: PodLog): (req: IncomingMessage, socket: Socket, head: Buffer) => void {
  return (req, socket, head) => {
    const url = new URL(req.url ?? '/', 'https://agent');
    const isForward = url.pathname.startsWith('/portForward/');
    if (asksForChannels(req)) {
      if (isForward) forwardByChannels(req, socket, head, url);
      else new Session(url, socket, log).byChannels(req, head);
      return;
    }
    if (head.length > 0) socket.unshift(head);
    if (req.headers.upgrade?.toLowerCase() !== 'spdy/3.1') {
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 17\r\nConnection: close\r\n\r\nunable to upgrade');
      return;
    }
    socket.write(switched(isForward ? 'portforward.k8s.io' : 'v4.channel.k8s.io'));
    const opened = isForward ? forwarding() : new Session(url, socket, log).opened;
    serveSpdy(socket, (stream) => opened(stream)).catch(() => socket.destroy());
  };
}

const capitals = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').toUpperCase(), 'latin1');

/** Serves the ports of a pod: each connection has a stream for errors, which is opened first, and one for its data. */
function forwarding(): (stream: AgentStream) => void {
  const errors = new Map<string, AgentStream>();
  return (stream) => {
    const id = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      errors.set(id, stream);
      return;
    }
    stream.onData = (bytes) => stream.write(capitals(bytes));
    stream.onEnd = () => {
      stream.end();
      errors.get(id)?.end();
    };
  };
}

/** Serves the ports that a URL names: two channels for each, data and errors, which begin with its number. */
function forwardByChannels(req: IncomingMessage, socket: Socket, head: Buffer, url: URL): void {
  const ports = (url.searchParams.get('port') ?? '').split(',');
  const types = ports.flatMap((port) => ['data', 'error'].map((type) => new Map(Object.entries({ port, type }))));
  serveChannels(req, socket, head, new Map(types.entries()), (stream) => {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(Number(stream.headers.get('port')));
    void stream.write(number);
    stream.onData = (bytes) => stream.write(capitals(bytes));
  });
}

/** Names of the streams of a command, at the numbers of their channels. */
const CHANNEL_NAMES = ['stdin', 'stdout', 'stderr', 'error', 'resize'];

/** A command that runs in a pod, once all of its streams are there. */
class Session {
  readonly #streams = new Map<string, AgentStream>();
  readonly #wanted: readonly string[];
  #close: () => void;

  constructor(
    private readonly url: URL,
    private readonly socket: Socket,
    private readonly log: PodLog | undefined,
  ) {
    const has = (name: string) => url.searchParams.has(name);
    // A terminal has one output.
    const asked = [has('input'), has('output'), has('error') && !has('tty'), true, has('tty')];
    this.#wanted = CHANNEL_NAMES.filter((_name, channel) => asked[channel]);
    this.#close = () => socket.end();
  }

  readonly opened = (stream: AgentStream): void => {
    this.#streams.set(stream.headers.get('streamtype') ?? '', stream);
    if (this.#streams.size === this.#wanted.length) this.#run();
  };

  /** Takes a connection whose streams are the channels of a WebSocket. */
  byChannels(req: IncomingMessage, head: Buffer): void {
    const headers = this.#wanted.map((name) => [CHANNEL_NAMES.indexOf(name), new Map([['streamtype', name]])] as const);
    serveChannels(req, this.socket, head, new Map(headers), (stream, close) => {
      this.#close = close;
      // The first message says that all of them are there.
      const first = ['stdout', 'stderr', 'error'].find((name) => this.#wanted.includes(name));
      if (stream.headers.get('streamtype') === first) void stream.write('');
      this.opened(stream);
    });
  }

  #run(): void {
    const isAttached = this.url.pathname.startsWith('/attach/');
    const [program = '', ...args] = this.url.searchParams.getAll('command');
    const [input, output] = [this.#streams.get('stdin'), this.#streams.get('stdout')];
    if ((program === 'cat' || isAttached) && input) {
      input.onData = (bytes) => output?.write(bytes);
      input.onEnd = () => this.#end(SUCCESS);
    } else if (['sh', 'bash'].includes(program) && input) this.#shell(input);
    else if (program === 'flood') void this.#flood(Number(args[0]));
    else if (program === 'stall' && input) input.onData = () => new Promise(() => undefined);
    else if (program === 'sizes' && input) {
      const sizes = this.#streams.get('resize');
      if (sizes) sizes.onData = (bytes) => output?.write(bytes);
      input.onEnd = () => this.#end(SUCCESS);
    } else if (program === 'break') this.socket.destroy();
    else if (program === 'exit') this.#end(failed(args[0] ?? '1'));
    else this.#say(program, args);
  }

  /** What is typed is shown, as a terminal does, and said in capitals once the line is ended; Ctrl-D ends it. */
  #shell(input: AgentStream): void {
    const output = this.#streams.get('stdout');
    let line = '';
    void output?.write('ready> ');
    input.onData = async (bytes) => {
      const text = bytes.toString();
      if (text.includes('\x04')) return this.#end(SUCCESS);
      line += text;
      if (!text.includes('\r')) return output?.write(text);
      await output?.write(`\r\n${line.trim().toUpperCase()}\r\nready> `);
      line = '';
    };
    input.onEnd = () => this.#end(SUCCESS);
  }

  #say(program: string, args: readonly string[]): void {
    if (program === 'log') this.log?.write(`${args.join(' ')}\n`);
    else if (program === 'complain') void this.#streams.get('stderr')?.write(`${args.join(' ')}\n`);
    else void this.#streams.get('stdout')?.write(`${[program, ...args].join(' ')}\n`);
    this.#end(SUCCESS);
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
    this.#close();
  }
}
