import { ObjectReadError, readObject } from '@orch/codec';
import { ConversionError, type Conversions, conversionsOf } from '@orch/kinds';
import {
  type ApiObject,
  DurationError,
  type JsonObject,
  type JsonValue,
  namesOf,
  parseApiVersion,
  QuantityError,
  TimeError,
} from '@orch/machinery';
import { loadScheme, type Scheme } from '@orch/schema';

/** Receives the converter's messages about a document, without its place in the input. */
export interface ConversionReporter {
  /** Reports why a document cannot be converted. */
  error(message: string): void;
  /** Reports something that the user should check. */
  warning(message: string): void;
}

/** An error of the manifest, which its author must correct. */
class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Brings the objects of manifests to a version, or each to the one that is preferred for its kind. */
export class ManifestConverter {
  readonly #conversions: Conversions;

  /** @param outputVersion kinds that it does not have go to their preferred version; none: all do */
  constructor(
    private readonly scheme: Scheme,
    private readonly outputVersion: string | undefined,
  ) {
    this.#conversions = conversionsOf(scheme);
  }

  /** The object, or list of objects, of a document; undefined when nothing came of it. */
  convert(value: JsonValue, notes: ConversionReporter): JsonObject | undefined {
    try {
      const object = typed(value);
      return this.#isList(object) ? this.#list(object, notes) : this.#object(object, notes);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      notes.error(error.message + this.#hint(value));
      return undefined;
    }
  }

  /** Manifests of the other naming profile are of unknown kinds. */
  #hint(value: JsonValue): string {
    const { apiVersion, kind } = isObject(value) ? value : {};
    const other = this.scheme.names.profile === 'orch' ? 'kubernetes' : 'orch';
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return '';
    const known = this.#conversions.knows(apiVersion, kind);
    return !known && conversionsOf(loadScheme(namesOf(other))).knows(apiVersion, kind)
      ? ` without --naming=${other}`
      : '';
  }

  /** Programs write null for the items of a list that has none. */
  #isList({ apiVersion, kind, items }: Typed): boolean {
    if (!Array.isArray(items ?? [])) return false;
    return (
      isPlainList(apiVersion, kind) || (kind.endsWith('List') && this.#conversions.knows(apiVersion, itemKind(kind)))
    );
  }

  /** Converts the items in order; items that cannot be converted are reported and left out. */
  #list(list: Typed, notes: ConversionReporter): JsonObject {
    const { apiVersion, kind } = list;
    const plain = isPlainList(apiVersion, kind);
    const items = ((list.items ?? []) as JsonValue[]).flatMap((item, at) => {
      const within = {
        error: (message: string) => notes.error(`items[${at}]: ${message}`),
        warning: (message: string) => notes.warning(`items[${at}]: ${message}`),
      };
      const whole = plain || !isObject(item) ? item : { apiVersion, kind: itemKind(kind), ...item };
      const converted = this.convert(whole, within);
      return converted ? [converted] : [];
    });
    if (plain) return { ...list, items };
    return { ...list, apiVersion: this.#target(apiVersion, itemKind(kind), notes), items };
  }

  /** @throws what {@link isRefusal} knows */
  #object(object: Typed, notes: ConversionReporter): JsonObject {
    const { apiVersion, kind } = object;
    const target = this.#target(apiVersion, kind, notes);
    const source = this.#read(object, notes);
    const converted = this.#read(this.#conversions.manifest(source, target), notes);
    if (target !== apiVersion) {
      for (const { field, message } of this.#conversions.refusals(converted)) {
        notes.warning(`${kind} of ${target} would be refused: ${field}: ${message}`);
      }
    }
    return converted as unknown as JsonObject;
  }

  #target(apiVersion: string, kind: string, notes: ConversionReporter): string {
    const latest = this.#conversions.latest(apiVersion, kind);
    const asked = this.outputVersion;
    if (asked === undefined || asked === latest) return latest;
    if (this.#conversions.reaches(apiVersion, asked, kind)) return asked;
    notes.warning(`there is no ${kind} in ${asked}: it is converted to ${latest}`);
    return latest;
  }

  /** Reads an object with the schema of its version; versions that are not served any more have none. */
  #read(object: ApiObject, notes: ConversionReporter): ApiObject {
    const { group = '', version = '' } = parseApiVersion(object.apiVersion ?? '') ?? {};
    const found = this.scheme.kind(group, version, object.kind ?? '');
    if (!found) return object;
    const { object: read, problems } = readObject(found.schema, object as unknown as JsonValue);
    for (const problem of problems) notes.warning(`${problem} is left out`);
    return read;
  }
}

const isPlainList = (apiVersion: string, kind: string): boolean => apiVersion === 'v1' && kind === 'List';

/** Returns the kind of the items of a list, such as `Deployment` of `DeploymentList`. */
const itemKind = (kind: string): string => kind.replace(/List$/, '');

type Typed = JsonObject & { readonly apiVersion: string; readonly kind: string };

/** @throws ManifestError */
function typed(value: JsonValue): Typed {
  if (!isObject(value)) throw new ManifestError('a manifest must be an object');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new ManifestError('apiVersion is not set');
  if (typeof kind !== 'string' || kind === '') throw new ManifestError('kind is not set');
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    throw new ManifestError('metadata must be an object');
  }
  return { ...value, apiVersion, kind };
}

const REFUSALS = [ConversionError, DurationError, ManifestError, ObjectReadError, QuantityError, TimeError];

/** Whether an error describes a fault of the manifest. */
const isRefusal = (error: unknown): error is Error => REFUSALS.some((type) => error instanceof type);
