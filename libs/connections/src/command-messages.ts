import type { Socket } from 'node:net';
import type { CommandSession } from '@orch/handlers';
import { StatusError } from '@orch/machinery';
import {
  type CommandReceiver,
  CommandStreams,
  type MessageConnection,
  type MessageReceiver,
  type StreamName,
} from '@orch/streaming';

/** The subprotocol of commands whose streams can be ended one by one. */
export const V5 = 'v5.channel.k8s.io';

/** Channels by their number, which is the first byte of each message. */
const CHANNELS: readonly StreamName[] = ['stdin', 'stdout', 'stderr', 'error', 'resize'];
/** The channel whose messages name one that is over. */
const CLOSE = 255;

/** Turns the messages of a client that speaks {@link V5} into the streams of a command, and back. */
export class CommandMessages implements MessageReceiver, CommandReceiver {
  #messages: MessageConnection | undefined;
  #socket: Socket | undefined;
  #streams: CommandStreams | undefined;
  #left: () => void = () => undefined;
  #hasStatus = false;

  constructor(private readonly session: CommandSession) {}

  /** Joins a client with the agent on a connection; `left` is called when the client's is closed. */
  join(messages: MessageConnection, socket: Socket, left: () => void): void {
    this.#messages = messages;
    this.#socket = socket;
    this.#left = left;
    messages.send(this.#greeting, socket);
    this.#streams = new CommandStreams(socket, streamsOf(this.session), this);
  }

  /** Tells a client that there is no agent, and why. */
  fail(messages: MessageConnection, error: StatusError): void {
    const { apiVersion: _version, kind: _kind, ...status } = error.status;
    messages.send(onChannel('error', Buffer.from(JSON.stringify(status))));
    messages.close();
  }

  /** See {@link MessageReceiver.message}. */
  message(bytes: Buffer): void {
    const [channel] = bytes;
    if (channel === undefined) return;
    if (channel === CLOSE) this.#close(bytes);
    else this.#take(CHANNELS[channel], bytes.subarray(1));
  }

  /** See {@link MessageReceiver.closed}. */
  closed(): void {
    this.#left();
  }

  /** See {@link CommandReceiver.data}. */
  data(name: StreamName, bytes: Buffer): void {
    this.#hasStatus ||= name === 'error';
    if (this.#socket) this.#messages?.send(onChannel(name, bytes), this.#socket);
  }

  /** See {@link CommandReceiver.ended}. */
  ended(): void {
    const messages = this.#messages;
    if (!messages) return;
    // Clients take an end without a Status for success.
    if (!this.#hasStatus) this.fail(messages, brokenOff());
    messages.close();
  }

  /** The empty message that tells a client that the connection is there: on the first channel that it reads. */
  get #greeting(): Buffer {
    const { stdout, stderr } = this.session;
    return onChannel(stdout ? 'stdout' : stderr ? 'stderr' : 'error', Buffer.alloc(0));
  }

  #take(name: StreamName | undefined, bytes: Buffer): void {
    if (name === undefined || bytes.length === 0 || !this.#socket) return;
    if (this.#streams?.send(name, bytes) === false) this.#messages?.waitFor(this.#socket);
  }

  /** Ends the stream that a message says is over. */
  #close(bytes: Buffer): void {
    const name = bytes.length === 2 ? CHANNELS[bytes[1] ?? CLOSE] : undefined;
    if (name === undefined) this.#messages?.refuse('a message that ends a channel names one');
    else this.#streams?.end(name);
  }
}

/** The streams that an agent is to open; a terminal has no output of errors of its own. */
function streamsOf({ stdin, stdout, stderr, tty }: CommandSession): ReadonlySet<StreamName> {
  const wanted = { error: true, stdin, stdout, stderr: stderr && !tty, resize: tty };
  return new Set(CHANNELS.filter((name) => wanted[name]));
}

const onChannel = (name: StreamName, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([CHANNELS.indexOf(name)]), bytes]);

function brokenOff(): StatusError {
  const why = 'the connection to the agent ended before it told how the command did';
  return new StatusError('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}
