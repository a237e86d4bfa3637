import type { Row, TypeId } from '@orch/storage';

/** A body, the version of the API that it lies in, and which defaults it was given. */
export type StoredBody = Pick<Row, 'storedVersion' | 'defaults' | 'body'>;

/**
 * Brings stored bodies into one served version where that takes time, as asking a webhook does. Served versions whose
 * conversion is a function of the bytes have none: encoders see to that, and wait for nobody.
 */
export interface BodyConversion {
  /** Equal for conversions that make equal bytes; state and ring of a type are kept once for each. */
  readonly key: string;
  /** Version of the API that the bodies are converted to, as in a Row of the store. */
  readonly version: string;
  /** Number of the defaults that converted bodies have been given, as in a Row of the store. */
  readonly defaults: number;
  /**
   * The bodies in the served version, in the order given. Rejects when that cannot be done now: it is asked again, with the
   * same bodies among others.
   */
  convert(type: TypeId, bodies: readonly StoredBody[]): Promise<readonly Buffer[]>;
}

/** Several conversions at the price of one call, or none; `undefined` stays where it is. */
export async function convertAll(
  conversion: BodyConversion,
  type: TypeId,
  bodies: readonly (StoredBody | undefined)[],
): Promise<readonly (Buffer | undefined)[]> {
  const there = bodies.filter((body) => body !== undefined);
  if (there.length === 0) return [];
  const converted = await conversion.convert(type, there);
  if (converted.length !== there.length)
    throw new RangeError(`a conversion of ${there.length} objects made ${converted.length}`);
  let next = 0;
  return bodies.map((body) => (body === undefined ? undefined : converted[next++]));
}
