import type { Violation } from './violation.js';

/** Resources of an idle process. */
export interface Usage {
  readonly process: string;
  /** Open file descriptors. */
  readonly handles: number;
  /** Bytes of live JavaScript objects, as little as was seen over a while: garbage comes on top at any moment. */
  readonly heapBytes: number;
  /** Bytes of Buffers outside of the heap. */
  readonly externalBytes: number;
}

export interface LeakLimits {
  /** Connections to the database and the like, which come and go; default 16. */
  readonly handles?: number;
  /** Caches that fill up once, code that is compiled late; default 32 MiB. */
  readonly bytes?: number;
}

/** V8: after a load, memory and open handles are back where they were before it. */
export function checkLeaks(before: readonly Usage[], after: readonly Usage[], limits: LeakLimits = {}): Violation[] {
  const { handles = 16, bytes = 32 << 20 } = limits;
  return after.flatMap((now): Violation[] => {
    const then = before.find(({ process }) => process === now.process);
    if (then === undefined) return [];
    const memory = (usage: Usage) => usage.heapBytes + usage.externalBytes;
    const report = (rule: 'V8.handles' | 'V8.memory', what: string, from: number, to: number): Violation => ({
      rule,
      message: `${now.process}: ${what} ${from} before and ${to} after`,
    });
    return [
      ...(now.handles > then.handles + handles
        ? [report('V8.handles', 'open handles', then.handles, now.handles)]
        : []),
      ...(memory(now) > memory(then) + bytes ? [report('V8.memory', 'bytes', memory(then), memory(now))] : []),
    ];
  });
}
