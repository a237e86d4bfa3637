import { PassThrough } from 'node:stream';
import type { Clock } from '@orch/runtime/clock';
import type { LogStream } from '../logs/log-lines.js';
import type { ProcessStreams, StreamSelection } from '../streams.js';
import type { FakeContainer } from './fake-container.js';
import type { FakeExec } from './fake-program.js';

/** Streams of a process of the double, and which are connected. */
class FakeStreams implements ProcessStreams {
  readonly stdin?: PassThrough;
  readonly stdout?: PassThrough;
  readonly stderr?: PassThrough;
  readonly exit: Promise<number>;
  #resolve: (exitCode: number) => void = () => undefined;
  #closed: () => void = () => undefined;

  constructor({ stdin, stdout, stderr, tty }: StreamSelection) {
    if (stdin) this.stdin = new PassThrough();
    if (stdout) this.stdout = new PassThrough();
    if (stderr && !tty) this.stderr = new PassThrough();
    this.exit = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resize(): void {}

  /** Writes output. */
  print(stream: LogStream, text: string): void {
    this[stream]?.write(text);
  }

  /** Ends output and reports the exit code. */
  end(exitCode: number): void {
    this.stdout?.end();
    this.stderr?.end();
    this.#resolve(exitCode);
  }

  /** Calls a function when the streams are closed. */
  onClose(closed: () => void): void {
    this.#closed = closed;
  }

  close(): void {
    this.#closed();
    this.end(137);
    this.stdin?.destroy();
  }
}

/** Returns the streams of a command: standard input is sent back, behind the command's own output. */
export function execStreams(selection: StreamSelection, result: FakeExec, clock: Clock): ProcessStreams {
  const streams = new FakeStreams(selection);
  const { stdout = '', stderr = '', exitCode = 0, after = 0 } = result;
  const finish = () => {
    streams.print('stdout', stdout);
    streams.print('stderr', stderr);
    const { stdin } = streams;
    if (!stdin) return streams.end(exitCode);
    stdin.on('data', (piece: Buffer) => streams.print('stdout', piece.toString()));
    stdin.on('end', () => streams.end(exitCode));
  };
  if (after > 0) streams.onClose(clock.after(after, finish));
  else finish();
  return streams;
}

/** Returns the streams of a container's program. */
export function attachStreams(selection: StreamSelection, container: FakeContainer): ProcessStreams {
  const streams = new FakeStreams(selection);
  streams.onClose(container.listen((stream, text) => streams.print(stream, text)));
  if (container.program.echo)
    streams.stdin?.on('data', (piece: Buffer) => container.print('stdout', piece.toString().trimEnd()));
  void container.ended().then(() => streams.end(container.exitCode));
  return streams;
}
