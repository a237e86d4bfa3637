import type { Duplex, Readable, Writable } from 'node:stream';

/** A command that runs to its end in a container. */
export interface ExecSyncRequest {
  /** Id of the container. */
  readonly containerId: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Milliseconds after which the command is killed, with error `DeadlineExceeded`; 0 for unlimited. CRI rounds up to seconds. */
  readonly timeout: number;
}

/** Outcome of a command. */
export interface ExecSyncResult {
  /** At most 16 MiB; the rest is dropped. */
  readonly stdout: Buffer;
  /** At most 16 MiB; the rest is dropped. */
  readonly stderr: Buffer;
  /** Exit code, 128 + signal for a signal. */
  readonly exitCode: number;
}

/** Which standard streams are connected. With a terminal there is no standard error. */
export interface StreamSelection {
  /** Whether standard input is connected. */
  readonly stdin: boolean;
  /** Whether standard output is connected. */
  readonly stdout: boolean;
  /** Whether standard error is connected. */
  readonly stderr: boolean;
  /** Whether the streams are a terminal. */
  readonly tty: boolean;
}

/** A command in a container, with its streams. */
export interface ExecRequest extends StreamSelection {
  /** Id of the container. */
  readonly containerId: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/** Streams of the first process of a container. `tty` is as in its settings. */
export interface AttachRequest extends StreamSelection {
  /** Id of the container. */
  readonly containerId: string;
}

/** Ports of a sandbox to be reached. */
export interface PortForwardRequest {
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** 1 to 65535. Empty: any. */
  readonly ports: readonly number[];
}

/** Open standard streams of a process in a container. */
export interface ProcessStreams {
  /** Present if requested; ending it closes the process's standard input. */
  readonly stdin?: Writable;
  /** Present if requested. */
  readonly stdout?: Readable;
  /** Present if requested and there is no terminal. */
  readonly stderr?: Readable;
  /** Sets the size of the terminal, in characters; nothing happens without a terminal. */
  resize(columns: number, rows: number): void;
  /**
   * Resolves after the end, with the exit code of the command, or of the container for an attachment; rejects with
   * RuntimeError if it is not known.
   */
  readonly exit: Promise<number>;
  /** Closes the streams. A command is killed; the process of an attachment goes on. */
  close(): void;
}

/** Connections into a sandbox. */
export interface PortConnections {
  /** Connects to a port of the sandbox's loopback address. @throws RuntimeError */
  connect(port: number): Promise<Duplex>;
}

/**
 * How the streams of a command or attachment are reached: at a URL on the node that speaks SPDY/3.1 and WebSocket, to
 * which the bytes of a client are passed unchanged, or as streams.
 */
export type StreamEndpoint =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'streams'; readonly streams: ProcessStreams };

/** How ports are reached: at a URL as for streams, or by connections. */
export type PortEndpoint =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'connections'; readonly connections: PortConnections };
