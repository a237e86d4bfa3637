import type { JsonObject } from '@orch/machinery';
import { STEP } from '../steps.js';
import { inOneStep } from '../undivided.js';

/**
 * Converts an object to another version; returns undefined when the version does not exist (any more). A converter that
 * calls out returns a promise.
 * @throws any error that prevents the conversion: the write fails, and no ownership is lost
 */
export type Converter = (
  object: JsonObject,
  apiVersion: string,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** An object that is needed in another version before the work can go on. */
interface Needed {
  readonly object: JsonObject;
  readonly apiVersion: string;
}

/** Work that yields requests for conversions and receives their results, with {@link STEP}s between its parts. */
export type Work<T> = Generator<Needed | typeof STEP, T, JsonObject | undefined>;

/** Called at each step; returns a promise when other work should run. */
export type Pause = () => Promise<void> | undefined;

/**
 * Runs work synchronously in one step. It falls back to many steps only when the objects are nested deeper than the
 * stack allows, which is not checked beforehand: that would take longer than most of the work.
 * @param begin the work, which may be begun a second time
 * @throws TypeError when the converter returns a promise
 */
export function runSync<T>(begin: () => Work<T>, convert: Converter): T {
  try {
    return inOneStep(() => run(begin(), convert));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return run(begin(), convert);
  }
}

function run<T>(work: Work<T>, convert: Converter): T {
  let step = work.next();
  while (!step.done) {
    if (step.value === STEP) {
      step = work.next();
      continue;
    }
    const converted = convert(step.value.object, step.value.apiVersion);
    if (converted instanceof Promise) throw new TypeError('the converter calls out: use the asynchronous form');
    step = work.next(converted);
  }
  return step.value;
}

/** How {@link runAsync} continues between two parts of the work. */
interface Turns {
  readonly pause?: Pause | undefined;
  /** Whether the work is small enough for none of its parts to be divided. */
  readonly isLittle: boolean;
}

/** Runs work with a converter that may call out, and with pauses between the steps. */
export async function runAsync<T>(work: Work<T>, convert: Converter, { pause, isLittle }: Turns): Promise<T> {
  const next = (converted?: JsonObject) => (isLittle ? inOneStep(() => work.next(converted)) : work.next(converted));
  let step = next();
  while (!step.done) {
    const wait = pause?.();
    if (wait) await wait;
    step = next(step.value && (await convert(step.value.object, step.value.apiVersion)));
  }
  return step.value;
}
