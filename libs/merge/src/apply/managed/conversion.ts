import type { JsonObject } from '@orch/machinery';

/**
 * Gives an object in another version; undefined when there is no such version (any more). A converter that calls out
 * gives a promise.
 * @throws whatever kept it from converting: the write fails, and nobody's fields are lost
 */
export type Converter = (
  object: JsonObject,
  apiVersion: string,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** An object that is needed in another version before the work can go on. */
export interface Needed {
  readonly object: JsonObject;
  readonly apiVersion: string;
}

/** Work that asks for conversions and goes on with what it is given. */
export type Work<T> = Generator<Needed, T, JsonObject | undefined>;

/** Carries out work at once. @throws TypeError when the converter gives a promise */
export function runSync<T>(work: Work<T>, convert: Converter): T {
  let step = work.next();
  while (!step.done) {
    const converted = convert(step.value.object, step.value.apiVersion);
    if (converted instanceof Promise) throw new TypeError('the converter calls out: use the asynchronous form');
    step = work.next(converted);
  }
  return step.value;
}

/** Carries out work with a converter that may call out. */
export async function runAsync<T>(work: Work<T>, convert: Converter): Promise<T> {
  let step = work.next();
  while (!step.done) step = work.next(await convert(step.value.object, step.value.apiVersion));
  return step.value;
}
