import type { Readable, Writable } from 'node:stream';

/** Times of a session, in milliseconds. */
export interface SessionTimes {
  /** Time without data after which a session is closed (`--streaming-connection-idle-timeout`); 0 is no bound. */
  readonly idleMs: number;
  /** Time for a client to open its streams. Default 30 s. */
  readonly creationMs?: number;
}

/** Default of {@link SessionTimes.creationMs}. */
export const CREATION_MS = 30_000;

/** The channels of a command, on a connection of either protocol. */
export interface CommandChannels {
  /** Input of the client. */
  readonly stdin?: Readable | undefined;
  /** Output to the client. */
  readonly stdout?: Writable | undefined;
  /** Output of errors to the client. */
  readonly stderr?: Writable | undefined;
  /** How the command has ended. */
  readonly error: Writable;
  /** Sizes of the client's terminal, each as an object in JSON. */
  readonly resize?: Readable | undefined;
  /** Whether the client wants a Status on the channel of errors, also for success; else the message of a failure. */
  readonly hasStatus: boolean;
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
  /** Ends the connection behind what was written. */
  end(): void;
}
