/** Work on fewer bytes is done before others wait long. */
const LARGE_BYTES = 64 << 10;

/** Work in steps, between which other work may run; returns its result at the end. */
type Steps<T> = Generator<undefined, T>;

/**
 * Stands before and after each step of work on a body. A step on a large one gets a turn of the event loop for itself:
 * small requests are answered in between, and no two large steps follow each other. Costs nothing for a small body.
 */
export function turnFor(bytes = 0): Promise<void> | undefined {
  return bytes < LARGE_BYTES ? undefined : line.whole();
}

/** Milliseconds of work on many small things in one turn of the event loop: others wait for about as long a round. */
const SLICE_MS = 1;

/**
 * Queue of work that waits for a turn of the event loop. Turns alternate between work in progress, one piece of it at a
 * time, and all new work, as much as fits: short work does not wait behind all long work.
 */
class Line {
  #beginning: (() => void)[] = [];
  readonly #underWay: (() => void)[] = [];
  #begunLast = false;
  #asked = false;
  /** End of the present turn; undefined while no work has begun in it. */
  #end: number | undefined;
  /** Whether the present turn was given to work that waited for it. */
  #isGiven = false;
  /**
   * Whether the present turn was begun by work that did not wait, perhaps right before turns are given: other events
   * are to be handled in between.
   */
  #isFresh = false;

  /** Begins the present turn, or joins it while there is time left in it. @returns false where it is full */
  join(): boolean {
    const now = performance.now();
    if (this.#end === undefined) {
      this.#end = now + SLICE_MS;
      this.#isFresh = !this.#isGiven;
      this.#ask();
    }
    return now < this.#end;
  }

  /**
   * Resolves in a turn to come.
   * @param begun false for what has not had one yet: not all that is let in with it fits
   */
  next(begun: boolean): Promise<void> {
    return new Promise((resolve) => {
      (begun ? this.#underWay : this.#beginning).push(resolve);
      this.#ask();
    });
  }

  /** A turn to come for a step that fills it, behind others' if the step before was made without waiting. */
  async whole(): Promise<void> {
    this.#isFresh ||= !this.#isGiven;
    await this.next(true);
    this.join();
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#asked = false;
    if (this.#isFresh) {
      this.#isFresh = false;
      this.#ask();
      return;
    }
    this.#end = undefined;
    this.#isGiven = this.#beginning.length + this.#underWay.length > 0;
    if (!this.#isGiven) return;
    this.#begunLast = this.#beginning.length > 0 && !(this.#begunLast && this.#underWay.length > 0);
    if (this.#begunLast) for (const begin of this.#beginning.splice(0)) begin();
    else this.#underWay.shift()?.();
    this.#ask();
  }
}

/** There is one event loop. */
const line = new Line();

/**
 * Runs steps of work each of which may be long, as rows of tables: one turn of the event loop holds no more of them
 * than take a millisecond, whatever they belong to, plus the one that exceeds it.
 */
export class LongSteps {
  #begun = false;

  /**
   * Takes a step at once where the present turn has room, which costs next to nothing, and in a turn to come otherwise.
   */
  take<T>(step: () => T): T | Promise<T> {
    if (!line.join()) return this.#later(step);
    this.#begun = true;
    return step();
  }

  async #later<T>(step: () => T): Promise<T> {
    do await line.next(this.#begun);
    while (!line.join());
    this.#begun = true;
    return step();
  }
}

/** Stands between the items of work that is long because they are many, each of them short. */
export class Slices {
  #end = performance.now() + SLICE_MS;

  /** A turn for others when there was none for a while; costs next to nothing otherwise. */
  between(): Promise<void> | undefined {
    return performance.now() < this.#end ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await line.whole();
    this.#end = performance.now() + SLICE_MS;
  }
}

/** Takes steps, with turns for others when there was none for a while: a promise only where one was given. */
export function inSlices<T>(steps: Steps<T>): T | Promise<T> {
  const slices = new Slices();
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value;
    const pause = slices.between();
    if (pause) return afterPause(pause, steps, slices);
  }
}

async function afterPause<T>(pause: Promise<void>, steps: Steps<T>, slices: Slices): Promise<T> {
  await pause;
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value;
    await slices.between();
  }
}
