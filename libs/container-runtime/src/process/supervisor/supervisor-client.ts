import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { RuntimeError } from '../../runtime-error.js';
import type { ProcessStreams, StreamSelection } from '../../streams.js';
import { CONTAINER_FILES } from '../state/records.js';
import { openControlPath } from './control-path.js';
import { FRAME, frame, SupervisorFrameReader, type SupervisorRequest } from './frames.js';
import { ownDescriptors } from './own-descriptors.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
/** Characters of what a supervisor has printed. */
const LAST_WORDS = 1_000;
/** Bytes of a frame's content. */
const LONGEST_FRAME = 64 << 10;

/** The supervisor of a container, as the runtime talks to it. */
export class SupervisorClient {
  /** @param folder of the container */
  constructor(private readonly folder: string) {}

  /** Starts the supervisor, and with it the container. @throws RuntimeError if the container's program cannot be started */
  async start(): Promise<void> {
    const log = openSync(join(this.folder, CONTAINER_FILES.supervisorLog), 'a', 0o600);
    const child = spawn(process.execPath, [MAIN, this.folder], {
      ...{ detached: true, cwd: '/', env: { PATH: process.env.PATH ?? '' } },
      stdio: ownDescriptors(['ignore', log, log, 'pipe']),
    });
    closeSync(log);
    child.unref();
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (cause) => reject(new RuntimeError('Internal', cause.message, { cause })));
    });
    const report = await Promise.race([text(child.stdio[3] as Readable), failed]);
    if (report === '') throw new RuntimeError('Internal', `the supervisor has ended: ${this.#lastWords()}`);
    const { failure } = JSON.parse(report) as { failure: string };
    if (failure !== '') throw new RuntimeError('Unknown', `failed to start: ${failure}`);
  }

  /** Returns the end of what the supervisor has printed: it prints nothing but why it cannot go on. */
  #lastWords(): string {
    return readFileSync(join(this.folder, CONTAINER_FILES.supervisorLog), 'utf8').slice(-LAST_WORDS);
  }

  /** Sends a signal to the container's program. */
  async signal(signal: string): Promise<SignalSent> {
    return { ended: closed(await this.#request({ op: 'signal', signal })) };
  }

  /** Has the log opened anew. */
  async reopenLog(): Promise<void> {
    await closed(await this.#request({ op: 'reopen' }));
  }

  /** Connects to the streams of the container's program. */
  async attach(selection: StreamSelection): Promise<ProcessStreams> {
    const socket = await this.#request({ op: 'attach' });
    if (!socket) throw new RuntimeError('FailedPrecondition', 'the container does not run');
    return new AttachedStreams(socket, selection);
  }

  /** Connects and sends a request; undefined if the supervisor has ended. */
  #request(request: SupervisorRequest): Promise<Socket | undefined> {
    if (!existsSync(this.folder)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const { path, descriptor } = openControlPath(this.folder);
      const socket = connect(path);
      socket.once('error', () => {
        closeSync(descriptor);
        resolve(undefined);
      });
      socket.once('connect', () => {
        closeSync(descriptor);
        socket.removeAllListeners('error');
        socket.on('error', () => socket.destroy());
        socket.write(`${JSON.stringify(request)}\n`);
        resolve(socket);
      });
    });
  }
}

/** A signal that has reached the supervisor. */
interface SignalSent {
  /** Resolves once the container has ended, and its progress has been written. */
  readonly ended: Promise<void>;
}

/** Resolves when a connection has ended, at once if there is none. */
const closed = (socket: Socket | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (socket) socket.resume().once('close', () => resolve());
    else resolve();
  });

/** Streams of a container's program, over a connection to its supervisor. */
class AttachedStreams implements ProcessStreams {
  readonly stdin?: Writable;
  readonly stdout?: PassThrough;
  readonly stderr?: PassThrough;
  readonly exit: Promise<number>;

  constructor(
    private readonly socket: Socket,
    { stdin, stdout, stderr }: StreamSelection,
  ) {
    if (stdin) this.stdin = inputOf(socket);
    if (stdout) this.stdout = new PassThrough();
    if (stderr) this.stderr = new PassThrough();
    this.exit = new Promise((resolve, reject) => {
      const reader = new SupervisorFrameReader((kind, content) => {
        if (kind === FRAME.exit) resolve(Number(content.toString()));
        else this.#write(kind === FRAME.stdout ? this.stdout : this.stderr, content);
      });
      socket.on('data', (piece: Buffer) => reader.push(piece));
      socket.on('close', () => {
        this.stdout?.end();
        this.stderr?.end();
        reject(new RuntimeError('Unavailable', 'the connection to the container has ended'));
      });
    });
    // Nobody need look at it.
    this.exit.catch(() => undefined);
  }

  resize(): void {}

  close(): void {
    this.socket.destroy();
  }

  /** A reader that stands still holds up the connection, and not this process's memory. */
  #write(stream: PassThrough | undefined, content: Buffer): void {
    if (!stream || stream.write(content)) return;
    this.socket.pause();
    stream.once('drain', () => this.socket.resume());
  }
}

function inputOf(socket: Socket): Writable {
  return new Writable({
    write(piece: Buffer, _, done) {
      const parts = Math.ceil(piece.length / LONGEST_FRAME);
      const at = (index: number) => piece.subarray(index * LONGEST_FRAME, (index + 1) * LONGEST_FRAME);
      const frames = Array.from({ length: parts }, (_unused, index) => frame(FRAME.stdin, at(index)));
      socket.write(Buffer.concat(frames), () => done());
    },
    final(done) {
      socket.write(frame(FRAME.stdinEnd), () => done());
    },
  });
}
