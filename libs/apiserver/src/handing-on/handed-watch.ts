import type { Readable, Writable } from 'node:stream';
import type { FrameEnds } from './frame-ends.js';

/** A watch that a gateway serves: what comes of it is passed on as it is, until the gateway ends it or {@link end}. */
export class HandedWatch {
  #ended = false;
  #last: Buffer | undefined;

  /**
   * @param source what comes from the gateway
   * @param sink what goes to the client
   * @param ends where whole events end in it
   * @param finish ends the client's stream in order
   */
  constructor(
    private readonly source: Readable,
    private readonly sink: Writable,
    private readonly ends: FrameEnds,
    private readonly finish: () => void,
  ) {
    source.pipe(sink);
    source.on('data', (bytes: Buffer) => this.#take(bytes));
    source.once('end', () => {
      // In the middle of an event: nothing can follow it.
      if (this.#ended) this.finish();
    });
  }

  /**
   * Ends the stream behind the event that is under way, so that its client goes on from there elsewhere. Does nothing where it has been
   * ended: gateways judge their watches as well, and may be first.
   * @param last a frame that is sent as its last
   */
  end(last?: Buffer): void {
    if (this.#ended || this.sink.writableEnded) return;
    this.#ended = true;
    this.#last = last;
    this.source.unpipe(this.sink);
    if (this.ends.whole) this.#finish();
    else this.source.resume();
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
