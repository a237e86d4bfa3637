import type { Readable, Writable } from 'node:stream';
import { LINGER_MS } from '../watching/watch-stream.js';
import type { FrameEnds } from './frame-ends.js';

/** Cuts a stream that receives nothing any more. */
export interface Silence {
  /** Milliseconds without a byte. */
  readonly limitMs: number;
  /** Called when it was cut. */
  onCut(): void;
}

/** A watch that a gateway serves: its bytes are forwarded as they are, until the gateway ends it or {@link end}. */
export class HandedWatch {
  #ended = false;
  #last: Buffer | undefined;

  /**
   * @param source stream from the gateway
   * @param sink stream to the client
   * @param ends finds the ends of whole events in it
   * @param finish ends the client's stream cleanly
   * @param silence limit for a source that must send signs of life. Default: none
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
      // The stream stopped within an event: nothing can follow that.
      if (this.#ended) this.finish();
    });
    if (silence && silence.limitMs > 0) this.#limit(silence);
  }

  /**
   * Ends the stream behind the current event, so that its client resumes from there elsewhere. A no-op when it has
   * ended: gateways check rights too, and may be first. If the rest of the event does not arrive, it is cut.
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

  /** Signs of life are not seen while the source is paused, because the client does not read. */
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
