import type { Change, HistoricChange, Row, TypeId } from '@orch/storage';

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
   * The bodies in the served version, in the order given; an error in place of one that cannot be made though others can: those who
   * would see the object are told. Rejects when nothing can be converted now: it is asked again, with the same bodies among others.
   */
  convert(type: TypeId, bodies: readonly StoredBody[]): Promise<readonly (Buffer | Error)[]>;
}

/** What was to be in the served version: with a failure it lies as it is stored. */
interface Served {
  readonly failure?: Error;
}

export type ServedRow = Row & Served;
export type ServedChange = Change & Served;
export type ServedHistory = HistoricChange & Served & { readonly priorFailure?: Error };

/** Several conversions at the price of one call, or none; `undefined` stays where it is. */
export async function convertAll(
  conversion: BodyConversion,
  type: TypeId,
  bodies: readonly (StoredBody | undefined)[],
): Promise<readonly (Buffer | Error | undefined)[]> {
  const there = bodies.filter((body) => body !== undefined);
  if (there.length === 0) return [];
  const converted = await conversion.convert(type, there);
  if (converted.length !== there.length)
    throw new RangeError(`a conversion of ${there.length} objects made ${converted.length}`);
  let next = 0;
  return bodies.map((body) => (body === undefined ? undefined : converted[next++]));
}

/** What was stored, with what a conversion has made of its body. */
export function servedBy<S extends StoredBody>(
  { version: storedVersion, defaults }: BodyConversion,
  stored: S,
  made: Buffer | Error | undefined,
): S & Served {
  if (made === undefined) return stored;
  return made instanceof Error ? { ...stored, failure: made } : { ...stored, storedVersion, defaults, body: made };
}
