import { type Clock, sleep } from '@orch/runtime/clock';
import type { Runtime } from '../runtime.js';
import { RuntimeError } from '../runtime-error.js';

/** A method of runtimes. */
export type RuntimeMethod = Exclude<keyof Runtime, 'events' | 'checkpointContainer' | 'sandboxImage'>;

/** A call of a method of the double. */
export interface FakeCall {
  readonly method: RuntimeMethod;
  readonly args: readonly unknown[];
}

interface Fault {
  readonly error: RuntimeError;
  times: number;
}

/** Calls of the double, and what is wrong with them. */
export class FakeFaults {
  /** All calls, in their order. */
  readonly calls: FakeCall[] = [];
  /** Whether the runtime cannot be reached: every method rejects with `Unavailable`. */
  unreachable = false;
  readonly #failing = new Map<RuntimeMethod, Fault>();
  readonly #slow = new Map<RuntimeMethod, number>();

  constructor(private readonly clock: Clock) {}

  /** Lets the next calls of a method fail. @param times count of calls; all by default */
  fail(method: RuntimeMethod, error: RuntimeError | string, times = Infinity): void {
    this.#failing.set(method, { error: typeof error === 'string' ? new RuntimeError('Unknown', error) : error, times });
  }

  /** Lets all further calls of a method take a while. @param ms 0 for no time */
  slow(method: RuntimeMethod, ms: number): void {
    this.#slow.set(method, ms);
  }

  /** Ends what `fail` and `slow` began. */
  mend(method: RuntimeMethod): void {
    this.#failing.delete(method);
    this.#slow.delete(method);
  }

  /** Returns how often a method was called. */
  count(method: RuntimeMethod): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  /** Carries out a call, unless it fails. */
  async call<T>(method: RuntimeMethod, args: readonly unknown[], work: () => T | Promise<T>): Promise<T> {
    this.calls.push({ method, args });
    this.#check(method);
    const ms = this.#slow.get(method) ?? 0;
    if (ms > 0) await sleep(this.clock, ms);
    return work();
  }

  #check(method: RuntimeMethod): void {
    if (this.unreachable) throw new RuntimeError('Unavailable', 'the runtime cannot be reached');
    const fault = this.#failing.get(method);
    if (!fault || fault.times <= 0) return;
    fault.times--;
    throw fault.error;
  }
}
