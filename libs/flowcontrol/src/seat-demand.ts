/** Demand for seats during a period. */
interface DemandOfWhile {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
}

/** Tracks the demand for seats. Times are monotonic milliseconds. */
export class SeatDemand {
  #seats = 0;
  #highest = 0;
  #since: number;
  #elapsed = 0;
  #sum = 0;
  #squares = 0;

  constructor(now: number) {
    this.#since = now;
  }

  set(seats: number, now: number): void {
    this.#advance(now);
    this.#seats = seats;
    if (seats > this.#highest) this.#highest = seats;
  }

  /** Returns the demand since the last call, and starts over. */
  take(now: number): DemandOfWhile {
    this.#advance(now);
    const average = this.#elapsed > 0 ? this.#sum / this.#elapsed : this.#seats;
    const variance = this.#elapsed > 0 ? this.#squares / this.#elapsed - average * average : 0;
    const taken = { highest: this.#highest, average, deviation: Math.sqrt(Math.max(0, variance)) };
    this.#highest = this.#seats;
    this.#elapsed = 0;
    this.#sum = 0;
    this.#squares = 0;
    return taken;
  }

  #advance(now: number): void {
    const passed = Math.max(0, now - this.#since);
    this.#since = now;
    this.#elapsed += passed;
    this.#sum += this.#seats * passed;
    this.#squares += this.#seats * this.#seats * passed;
  }
}

/** Factor by which earlier demand decays in one step: a peak is half forgotten after five minutes. */
const KEPT = 0.977;

/** Expected demand of a level: follows a rise at once, a fall slowly (KEP-1040). */
export function smoothedDemand(before: number, { highest, average, deviation }: DemandOfWhile): number {
  const envelope = Math.min(highest, average + deviation);
  return Math.max(envelope, KEPT * before + (1 - KEPT) * envelope);
}
