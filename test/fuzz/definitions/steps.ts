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

/** The longest of some steps of work, by what it is a part of. */
export class LongestStep {
  ms = 0;
  of = '';

  /** Takes one step. */
  one<T>(name: string, step: () => T): T {
    const before = threadMs();
    const made = step();
    const ms = threadMs() - before;
    if (ms > this.ms) [this.ms, this.of] = [ms, name];
    return made;
  }

  /** Takes all steps, one after another; what they yield, and what they come to. */
  all<Y, T>(name: string, steps: Iterator<Y, T>): { readonly yielded: Y[]; readonly result: T } {
    const yielded: Y[] = [];
    for (;;) {
      const next = this.one(name, () => steps.next());
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
