import { PassThrough, Writable } from 'node:stream';
import { MessageConnection, type MessageReceiver, type MessageRequest } from '../messages/message-connection.js';

/** The message that names a channel which is over, in protocols that have it. */
const CLOSE = 255;
/** Bytes of a message of a client, at most. */
export const MAX_MESSAGE = 1 << 20;

/** How the channels of a connection are told apart. */
interface ChannelFormat {
  /** Whether messages are text, with their bytes in base64. */
  readonly isText: boolean;
  /** Whether the client ends channels by a message. */
  readonly ends: boolean;
}

/** Channels in the messages of a WebSocket: each message begins with the number of its channel. */
export class MessageChannels implements MessageReceiver {
  readonly #inputs = new Map<number, PassThrough>();
  #resolveLeft: () => void = () => undefined;
  /** Resolves when the connection is closed. */
  readonly left: Promise<void> = new Promise((resolve) => {
    this.#resolveLeft = resolve;
  });
  #messages: MessageConnection | undefined;
  #waiting: (() => void)[] = [];
  #isStopped = false;
  /** Stops all outputs while the client does not read. */
  readonly #gate = {
    pause: () => {
      this.#isStopped = true;
    },
    resume: () => {
      this.#isStopped = false;
      for (const goOn of this.#waiting.splice(0)) goOn();
    },
  };

  private constructor(private readonly format: ChannelFormat) {}

  /** Answers a client's handshake; undefined if it is gone. @param protocol that was agreed on; undefined for none */
  static accept(
    request: MessageRequest,
    protocol: string | undefined,
    format: ChannelFormat,
  ): MessageChannels | undefined {
    const channels = new MessageChannels(format);
    channels.#messages = MessageConnection.accept(request, protocol, channels);
    return channels.#messages && channels;
  }

  /** Returns what the client sends on a channel; without this call it is dropped. */
  input(channel: number): PassThrough {
    const input = new PassThrough();
    input.on('error', () => undefined);
    this.#inputs.set(channel, input);
    return input;
  }

  /** Returns where to write what the client gets on a channel. */
  output(channel: number): Writable {
    const write = (bytes: Buffer, _encoding: BufferEncoding, done: () => void): void => {
      this.send(channel, bytes);
      if (this.#isStopped) this.#waiting.push(done);
      else done();
    };
    return new Writable({ write }).on('error', () => undefined);
  }

  /** Sends a message on a channel. */
  send(channel: number, bytes: Buffer): void {
    const { isText } = this.format;
    const message = isText
      ? `${String.fromCharCode(ZERO + channel)}${bytes.toString('base64')}`
      : Buffer.concat([Buffer.from([channel]), bytes]);
    this.#messages?.send(message, this.#gate);
  }

  /** Ends the connection behind what was sent. */
  end(): void {
    this.#messages?.close();
  }

  /** Closes the connection. */
  close(): void {
    this.#messages?.terminate();
  }

  /** See {@link MessageReceiver.message}. */
  message(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const [first = 0] = bytes;
    if (this.format.ends && first === CLOSE) return void this.#inputs.get(bytes[1] ?? CLOSE)?.end();
    const { isText } = this.format;
    const channel = isText ? first - ZERO : first;
    const input = this.#inputs.get(channel);
    const rest = bytes.subarray(1);
    const data = isText ? Buffer.from(rest.toString('latin1'), 'base64') : rest;
    if (input?.writable && !input.write(data)) this.#messages?.waitFor(input);
  }

  /** See {@link MessageReceiver.closed}. */
  closed(): void {
    for (const input of this.#inputs.values()) input.end();
    this.#gate.resume();
    this.#resolveLeft();
  }
}

/** Code of the digit 0. */
const ZERO = 0x30;
