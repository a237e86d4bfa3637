import { goType, type JsonObject } from '@orch/machinery';
import { at, isObject, type Json, textAt } from '../../values/fields.js';
import { MetadataRefused, restoredMetadata } from './restored-metadata.js';

/** Thrown if a webhook does not convert as requested; the message is that of the reference. */
export class ConversionRefused extends Error {
  override readonly name = 'ConversionRefused';
}

/** A request to a conversion webhook. */
export interface ConversionRequest {
  /** Group of definitions: `apiextensions.k8s.io`. */
  readonly group: string;
  /** `conversionReviewVersions` of the definition: the first supported one is used. */
  readonly reviewVersions: readonly string[];
  /** UID of the request, which the answer must repeat. */
  readonly uid: string;
  /** Group and version to convert to. */
  readonly desiredAPIVersion: string;
  /**
   * Objects to convert, at least one, each of another version than that; complete, pruned and with defaults. Not
   * changed.
   */
  readonly objects: readonly Readonly<JsonObject>[];
  /** The requested kind, as {@link kindText} names it: that of the list if the objects are its items. */
  readonly subject: string;
  /** Whether messages contain the index of an object. */
  readonly isList: boolean;
}

const KIND = 'ConversionReview';
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Returns group, version and kind as in messages: `example.com/v1, Kind=Thing`. */
export const kindText = (apiVersion: string, kind: string): string => `${apiVersion}, Kind=${kind}`;

/** Returns the review for a webhook. @throws ConversionRefused if none of its versions is supported */
export function conversionReview(request: ConversionRequest): JsonObject {
  const { uid, desiredAPIVersion, objects } = request;
  return {
    kind: KIND,
    apiVersion: reviewVersion(request),
    request: { uid, desiredAPIVersion, objects: [...objects] },
  };
}

/**
 * Returns the objects of an answer, in the order of the request, with the original values of metadata that webhooks may
 * not change. The caller must prune them by the schema of their version.
 * @param answer the decoded body; its objects become part of the result
 * @throws ConversionRefused for refusals, and for answers that do not match the request
 */
export function convertedObjects(answer: unknown, request: ConversionRequest): JsonObject[] {
  const { objects, subject, isList } = request;
  const converted = objectsIn(answer, request);
  if (converted.length !== objects.length) {
    throw new ConversionRefused(
      `conversion webhook for ${subject} returned ${converted.length} objects, expected ${objects.length}`,
    );
  }
  return objects.map((original, index) => {
    // Lists count from one, as the reference does.
    const place = isList ? `at index ${index + 1}` : undefined;
    return accepted(converted[index], original, request, place);
  });
}

/** @throws ConversionRefused */
function reviewVersion({ group, reviewVersions }: ConversionRequest): string {
  const version = reviewVersions.find((each) => VERSIONS.includes(each));
  if (version === undefined) throw new ConversionRefused('no supported conversion review versions');
  return `${group}/${version}`;
}

/** Returns the objects of an answer. @throws ConversionRefused for a malformed answer, or a reported failure */
function objectsIn(answer: unknown, request: ConversionRequest): readonly unknown[] {
  const failed = (reason: string) =>
    new ConversionRefused(`conversion webhook for ${request.subject} failed: ${reason}`);
  const version = reviewVersion(request);
  const [wanted, got] = [kindText(version, KIND), kindText(textAt(answer, 'apiVersion'), textAt(answer, 'kind'))];
  const response = at(answer, 'response');
  if (version.endsWith('/v1')) {
    if (wanted !== got) throw failed(`expected webhook response of ${wanted}, got ${got}`);
    const uid = textAt(response, 'uid');
    if (isObject(response) && uid !== request.uid)
      throw failed(`expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid)}`);
  }
  if (!isObject(response)) throw failed('no response provided');
  const status = textAt(response, 'result', 'status');
  if (status !== 'Success') {
    throw failed(textAt(response, 'result', 'message') || `response.result.status was '${status}', not 'Success'`);
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/** Verifies an object of an answer, and restores its metadata. @throws ConversionRefused */
function accepted(
  converted: unknown,
  original: Readonly<JsonObject>,
  { subject, desiredAPIVersion }: ConversionRequest,
  place: string | undefined,
): JsonObject {
  const refused = (what: string, why: string) =>
    new ConversionRefused(`conversion webhook for ${subject} returned ${what}: ${why}`);
  const whole = place ? `invalid converted object ${place}` : 'invalid object at index 0';
  if (!isObject(converted)) throw refused(whole, `expected an object, got ${goType(converted)}`);
  const version = textAt(converted, 'apiVersion');
  if (version !== desiredAPIVersion)
    throw refused(whole, `invalid groupVersion (expected ${desiredAPIVersion}, received ${version})`);
  const [kind, converts] = [textAt(original, 'kind'), textAt(converted, 'kind')];
  if (kind !== converts) throw refused(whole, `invalid kind (expected ${kind}, received ${converts})`);
  const other = otherObject(original, converted);
  if (other) throw refused(place ? whole : 'invalid object', other);
  try {
    return { ...converted, metadata: restoredMetadata(original, converted) } as JsonObject;
  } catch (error) {
    if (!(error instanceof MetadataRefused)) throw error;
    throw refused(place ? `invalid metadata in object ${place}` : 'invalid metadata', error.message);
  }
}

/** Returns how a converted object differs in identity from the original; undefined if it does not. */
function otherObject(original: Readonly<JsonObject>, converted: Readonly<Json>): string | undefined {
  for (const [name, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [had, has] = [textAt(original, 'metadata', name), textAt(converted, 'metadata', name)];
    if (had !== has) return `must have the same ${shown}: ${had} != ${has}`;
  }
  return undefined;
}
