import type { Readable, Writable } from 'node:stream';
import { LINGER_MS } from '../watching/watch-stream.js';
import type { FrameEnds } from './frame-ends.js';

/** Cuts a stream of which nothing comes any more. */
export interface Silence {
  /** Milliseconds without a byte. */
  readonly limitMs: number;
  /** Hears that it was cut. */
  onCut(): void;
}

/** A watch that a gateway serves: what comes of it is passed on as it is, until the gateway ends it or {@link end}. */
export class HandedWatch {
  #ended = false;
  #last: Buffer | undefined;

  /**
   * @param source what comes from the gateway
   * @param sink what goes to the client
   * @param ends where whole events end in it
   * @param finish ends the client's stream in order
   * @param silence of a source that owes signs of life. Default: it may be silent for ever
   */
  constructor(
    private readonly source: Readable,
    private readonly sink: Writable,
    private readonly ends: FrameEnds,
    private readonly finish: () => void,
    silence?: Silence,
  ) {
    source.pipe(sink);
    source.on('data', (bytes: Buffer) => this.#take(bytes));
    source.once('end', () => {
      // In the middle of an event: nothing can follow it.
      if (this.#ended) this.finish();
    });
    if (silence && silence.limitMs > 0) this.#limit(silence);
  }

  /**
   * Ends the stream behind the event that is under way, so that its client goes on from there elsewhere. Does nothing where it has been
   * ended: gateways judge their watches as well, and may be first. Where the rest of the event does not come, it is cut.
   * @param last a frame that is sent as its last
   */
  end(last?: Buffer): void {
    if (this.#ended || this.sink.writableEnded) return;
    this.#ended = true;
    this.#last = last;
    this.source.unpipe(this.sink);
    if (this.ends.whole) this.#finish();
    else this.#awaitRest();
  }

  #awaitRest(): void {
    const late = setTimeout(() => this.source.destroy(), LINGER_MS);
    this.source.once('close', () => clearTimeout(late)).resume();
  }

  /** A source that is not read, because the client does not read, cannot be heard. */
  #limit({ limitMs, onCut }: Silence): void {
    const { source } = this;
    const timer = setTimeout(() => {
      if (source.isPaused()) return void timer.refresh();
      onCut();
      source.destroy();
    }, limitMs);
    source.on('data', () => timer.refresh());
    source.once('close', () => clearTimeout(timer));
  }

  #take(bytes: Buffer): void {
    const whole = this.ends.take(bytes);
    if (!this.#ended || this.source.destroyed || this.sink.writableEnded) return;
    this.sink.write(whole > 0 ? bytes.subarray(0, whole) : bytes);
    if (whole > 0) this.#finish();
  }

  #finish(): void {
    this.source.destroy();
    if (this.#last) this.sink.write(this.#last);
    this.finish();
  }
}
