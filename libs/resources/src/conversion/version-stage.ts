import { type ApiObject, type GroupVersionKind, StatusError } from '@orch/machinery';
import { inSlices, Slices } from '@orch/runtime/work';
import type { Row } from '@orch/storage';
import type { BodyConversion, StoredBody } from '@orch/watchcache';
import { spliceJson, typePrefix } from '../representation/splice.js';
import type { StructuralModel } from '../served/structural-model.js';
import type { Stored } from '../stored/stored.js';
import { bodyWithOwners, fillAhead, filledBody, metadataOf, ownersOf } from '../stored/stored-body.js';
import type { StoredForm } from '../stored/stored-form.js';
import type { ConversionLimits, ConversionWebhook } from './conversion-webhook.js';
import { type Sent, sentWhole } from './sent-object.js';

interface VersionStageParts {
  /** Served group, version and kind. */
  readonly served: GroupVersionKind;
  readonly form: StoredForm;
  /** Schemas by version. */
  readonly models: ReadonlyMap<string, StructuralModel>;
  readonly webhook: ConversionWebhook;
}

/** Counter for the keys of stages: the bytes that one has produced are not valid for another. */
let made = 0;

/**
 * Converts objects of a custom kind between the stored and the served version through a webhook. Objects that are in
 * the requested version already are not sent.
 */
export class VersionStage implements BodyConversion {
  /** Identifies this stage and what it has converted; unique in the process. */
  readonly key = `webhook-${++made}`;
  /** Name of the served version. */
  readonly version: string;
  readonly #form: StoredForm;

  constructor(private readonly parts: VersionStageParts) {
    this.version = parts.served.version;
    this.#form = parts.form;
  }

  /** Number of the defaults that bodies in the served version have been filled in with, as in a row of the store. */
  get defaults(): number {
    return this.#form.defaultsOf(this.version);
  }

  /** Limits of one call; callers should convert larger sets in batches of this size. */
  get limits(): ConversionLimits {
    return this.parts.webhook.limits;
  }

  /** Whether a body is stored in the served version. */
  isServed(stored: Pick<StoredBody, 'storedVersion'>): boolean {
    return this.#form.versionOf(stored) === this.version;
  }

  /**
   * Converts bodies to the served version, in the order given; a body that cannot be converted is replaced by its
   * error.
   * @throws StatusError 500 if the webhook does not respond
   */
  async convert(_type: number, bodies: readonly StoredBody[]): Promise<readonly (Buffer | StatusError)[]> {
    const made = new Array<Buffer | StatusError>(bodies.length);
    const asked: { readonly at: number; readonly lying: Lying }[] = [];
    const slices = new Slices();
    for (const [at, body] of bodies.entries()) {
      await fillAhead(body, this.#form);
      const lying = this.isServed(body) ? undefined : tried(() => this.#lying(body));
      if (lying === undefined) made[at] = filledBody(body, this.#form);
      else if (lying instanceof StatusError) made[at] = lying;
      else asked.push({ at, lying });
      await slices.between();
    }
    const { webhook } = this.parts;
    const sent = asked.map(({ lying }) => lying);
    const converted = await webhook.convertEach(sent, this.#form.apiVersionOf(this.version));
    for (const [i, { at, lying }] of asked.entries()) {
      const object = converted[i] as ApiObject | StatusError;
      made[at] = object instanceof StatusError ? object : await this.#body(object, lying);
      await slices.between();
    }
    return made;
  }

  /**
   * Converts rows as if they had been stored in the served version, in the order given; rows in that version already
   * are returned as the same objects.
   * @throws StatusError 500; 429 when too much is being converted
   */
  async toServed<R extends Stored>(rows: readonly R[]): Promise<readonly R[]> {
    const lying = rows.filter((row) => !this.isServed(row));
    if (lying.length === 0) return rows;
    const leave = await this.parts.webhook.room(lying.reduce((sum, { body }) => sum + body.length, 0));
    const converted = (await this.#converted(lying).finally(leave)).values();
    return rows.map((row) => (this.isServed(row) ? row : this.#servedRow(row, converted.next().value as Buffer)));
  }

  /** Returns a row of another version in the served one, if an earlier list has converted it; else undefined. */
  known(row: Row): Row | undefined {
    const body = this.parts.webhook.kept?.find(this.key, row);
    return body && this.#servedRow(row, body);
  }

  /** Converts rows of another version as {@link toServed} does, and caches them for later lists. */
  async toKnown(rows: readonly Row[]): Promise<readonly Row[]> {
    const served = await this.toServed(rows);
    const { kept } = this.parts.webhook;
    for (const [at, row] of rows.entries()) {
      const made = served[at];
      if (kept && made && made !== row) kept.keep(this.key, row, made.body);
    }
    return served;
  }

  #servedRow<R extends Stored>(row: R, body: Buffer): R {
    return { ...row, storedVersion: this.version, defaults: this.defaults, body };
  }

  /** Converts an object from the served version to the storage version. @throws StatusError 500 */
  async toStorage(object: ApiObject): Promise<ApiObject> {
    const { version } = this.#form;
    if (version === this.version) return object;
    const [converted] = await this.parts.webhook.convert([sentWhole(object)], this.#form.apiVersionOf(version));
    await inSlices(this.#model(version).fit(converted as ApiObject));
    return converted as ApiObject;
  }

  /**
   * Converts an object to another version of the kind and keeps all fields that the webhook returns, so that field
   * managers lose none of theirs by being compared there.
   * @throws StatusError 500
   */
  async whole(object: ApiObject, apiVersion: string): Promise<ApiObject> {
    if (object.apiVersion === apiVersion) return object;
    if (isEmpty(object)) return { ...object, apiVersion };
    const [converted] = await this.parts.webhook.convert([sentWhole(object)], apiVersion);
    return converted as ApiObject;
  }

  async #converted(bodies: readonly StoredBody[]): Promise<readonly Buffer[]> {
    if (bodies.length === 0) return [];
    const { webhook } = this.parts;
    const slices = new Slices();
    const lying: Lying[] = [];
    for (const body of bodies) {
      await fillAhead(body, this.#form);
      lying.push(this.#lying(body));
      await slices.between();
    }
    const converted: Buffer[] = [];
    const objects = await webhook.convert(lying, this.#form.apiVersionOf(this.version));
    for (const [at, object] of objects.entries()) {
      converted.push(await this.#body(object, lying[at] as Lying));
      await slices.between();
    }
    return converted;
  }

  /** @throws StatusError 500 for a version that the definition no longer has */
  #lying(stored: StoredBody): Lying {
    const version = this.#form.versionOf(stored);
    const model = this.#model(version);
    const apiVersion = this.#form.apiVersionOf(version);
    const { kind } = this.parts.served;
    const { storedVersion, defaults, body: asItLies } = stored;
    const lying = { storedVersion, defaults, body: asItLies, version: 0n };
    const body = filledBody(lying, this.#form);
    const text = spliceJson(typePrefix(apiVersion, kind), lying, { form: this.#form, model });
    return { object: { kind, apiVersion, metadata: metadataOf(body) }, text, owners: ownersOf(body) };
  }

  /** Encodes a converted object as it would be stored. */
  async #body(object: ApiObject, { owners }: Lying): Promise<Buffer> {
    await inSlices(this.#model(this.version).fit(object));
    return bodyWithOwners(object, owners);
  }

  /** @throws StatusError 500 for a version that the definition no longer has */
  #model(version: string): StructuralModel {
    const model = this.parts.models.get(version);
    if (model) return model;
    const named = this.#form.apiVersionOf(version);
    throw new StatusError('InternalError', `request to convert CR from an invalid group/version: ${named}`);
  }
}

/** A stored object as it is sent, without its managedFields for comparison: a webhook must not change them. */
interface Lying extends Sent {
  /** JSON text of the managedFields; empty if there are none. */
  readonly owners: Buffer;
}

/** Returns a failure as the error of the object that it affects. */
function tried<T>(make: () => T): T | StatusError {
  try {
    return make();
  } catch (error) {
    return StatusError.from(error);
  }
}

/** Whether an object has no fields besides its type; such an object is never sent to a webhook. */
const isEmpty = ({ apiVersion: _version, kind: _kind, ...rest }: ApiObject): boolean => Object.keys(rest).length === 0;

/** Endpoints that serve an object. */
interface Served {
  readonly stage?: VersionStage;
  readonly form: StoredForm;
}

/**
 * Returns a stored object in the version that its endpoint serves. @throws StatusError 500 if a webhook has to convert
 * it, and fails
 */
export async function inServedVersion({ stage, form }: Served, stored: Stored): Promise<Stored> {
  if (!stage || stage.isServed(stored)) {
    await fillAhead(stored, form);
    return stored;
  }
  const [served = stored] = await stage.toServed([stored]);
  return served;
}
