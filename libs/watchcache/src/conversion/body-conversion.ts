import type { Change, HistoricChange, Row, TypeId } from '@orch/storage';

/** A body, the version of the API that it is in, and its defaults. */
export type StoredBody = Pick<Row, 'storedVersion' | 'defaults' | 'body'>;

/**
 * Converts stored bodies to a served version when that takes time, such as a webhook call. Served versions whose
 * conversion is a function of the bytes have none: encoders convert them synchronously.
 */
export interface BodyConversion {
  /** Equal for conversions with equal results; state and ring of a type are kept once for each. */
  readonly key: string;
  /** Version of the API that the bodies are converted to, as in a Row of the store. */
  readonly version: string;
  /** Number of the defaults in converted bodies, as in a Row of the store. */
  readonly defaults: number;
  /**
   * Returns the bodies in the served version, in the order given; an error in place of one that cannot be converted
   * though others can: clients that would see the object get the error. Rejects when nothing can be converted now: the
   * same bodies are retried later, among others.
   */
  convert(type: TypeId, bodies: readonly StoredBody[]): Promise<readonly (Buffer | Error)[]>;
}

/** A conversion's result: after a failure the body is in its stored version. */
interface Served {
  readonly failure?: Error;
}

/** A row with the result of its conversion. */
export type ServedRow = Row & Served;
/** A change with the result of its conversion. */
export type ConvertedChange = Change & Served;
export type ConvertedHistory = HistoricChange & Served & { readonly priorFailure?: Error };

/** Converts several bodies with one call, or none; `undefined` stays in its place. */
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

/** Returns a stored object with the converted body. */
export function servedBy<S extends StoredBody>(
  { version: storedVersion, defaults }: BodyConversion,
  stored: S,
  made: Buffer | Error | undefined,
): S & Served {
  if (made === undefined) return stored;
  return made instanceof Error ? { ...stored, failure: made } : { ...stored, storedVersion, defaults, body: made };
}
