interface RoundsOptions {
  /** Average milliseconds between rounds. */
  readonly interval: number;
  /** In [0, 1): spreads the rounds of several processes. */
  readonly random: () => number;
}

/** Work that is repeated until it is stopped; a failed round is retried with the next. */
export class Rounds {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();
  readonly #failureListeners = new Set<(error: Error) => void>();

  constructor(
    private readonly run: () => Promise<unknown>,
    private readonly options: RoundsOptions,
  ) {}

  /** Starts rounds after a pause; further calls do nothing. The timer does not keep the process alive. */
  start(): void {
    if (this.#timer) return;
    const pause = this.options.interval * (0.75 + this.options.random() / 2);
    this.#timer = setTimeout(() => {
      this.#round = this.run()
        .catch((error: Error) => {
          for (const listener of this.#failureListeners) listener(error);
        })
        .finally(() => {
          if (!this.#timer) return;
          this.#timer = undefined;
          this.start();
        });
    }, pause);
    this.#timer.unref();
  }

  /** Begins no more rounds. Resolves when the one in progress has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  /** Registers a listener for failed rounds. Returns a function that removes it. */
  onFailure(listener: (error: Error) => void): () => void {
    this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }
}
