import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** CPU time that the thread has used, milliseconds: what others on the machine do does not count. */
function threadMs(): number {
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Milliseconds on the clock in which nothing worth asking for can have been done: to ask what CPU time was used takes a while itself. */
const SHORT_MS = 1;

/** The longest of some steps of work, by what it is a part of. */
export class LongestStep {
  ms = 0;
  of = '';
  #clock = performance.now();
  #used = threadMs();

  /** Begins a step: what was done before is none. */
  begin(): void {
    [this.#clock, this.#used] = [performance.now(), threadMs()];
  }

  /** Ends a step, and begins the next. Short ones may be counted with the next. */
  mark(name: string): undefined {
    if (performance.now() - this.#clock < SHORT_MS) return;
    const ms = threadMs() - this.#used;
    if (ms > this.ms) [this.ms, this.of] = [ms, name];
    this.begin();
  }

  /** Takes one step. */
  one<T>(name: string, step: () => T): T {
    this.begin();
    const made = step();
    this.mark(name);
    return made;
  }

  /** Takes all steps, one after another; what they yield, and what they come to. */
  all<Y, T>(name: string, steps: Iterator<Y, T>): { readonly yielded: Y[]; readonly result: T } {
    const yielded: Y[] = [];
    this.begin();
    for (;;) {
      const next = steps.next();
      this.mark(name);
      if (next.done) return { yielded, result: next.value };
      yielded.push(next.value);
    }
  }
}

/** Bytes of the heap, and of buffers outside of it, that are held when what is unreachable is gone. */
export function retainedBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
