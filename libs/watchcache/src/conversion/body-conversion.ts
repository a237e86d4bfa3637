import type { TypeId } from '@orch/storage';

/**
 * Brings stored bodies into one served version where that takes time, as asking a webhook does. Served versions whose
 * conversion is a function of the bytes have none: encoders see to that, and wait for nobody.
 */
export interface BodyConversion {
  /** Equal for conversions that make equal bytes; state and ring of a type are kept once for each. */
  readonly key: string;
  /**
   * The bodies in the served version, in the order given. Rejects when that cannot be done now: it is asked again, with the
   * same bodies among others.
   */
  convert(type: TypeId, bodies: readonly Buffer[]): Promise<readonly Buffer[]>;
}

/** Several conversions at the price of one call: the bodies that are given, `undefined` left where it is. */
export async function convertAll(
  conversion: BodyConversion,
  type: TypeId,
  bodies: readonly (Buffer | undefined)[],
): Promise<readonly (Buffer | undefined)[]> {
  const there = bodies.filter((body) => body !== undefined);
  if (there.length === 0) return bodies;
  const converted = await conversion.convert(type, there);
  if (converted.length !== there.length)
    throw new RangeError(`a conversion of ${there.length} objects made ${converted.length}`);
  let next = 0;
  return bodies.map((body) => (body === undefined ? undefined : converted[next++]));
}
