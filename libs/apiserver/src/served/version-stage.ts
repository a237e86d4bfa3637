import { type ApiObject, type GroupVersionKind, StatusError } from '@orch/machinery';
import type { Row } from '@orch/storage';
import type { BodyConversion, StoredBody } from '@orch/watchcache';
import { inSlices, Slices } from '../decoding/turns.js';
import { asItLies, bodyOf, filledBody } from '../representation/stored-body.js';
import type { ConversionLimits, ConversionWebhook } from '../webhooks/conversion-webhook.js';
import type { Stored } from './endpoint.js';
import type { StoredForm } from './stored-form.js';
import type { StructuralModel } from './structural-model.js';

export interface VersionStageParts {
  /** What is served. */
  readonly served: GroupVersionKind;
  readonly form: StoredForm;
  /** By version. */
  readonly models: ReadonlyMap<string, StructuralModel>;
  readonly webhook: ConversionWebhook;
}

/** Numbers stages: bytes that one has made are not those of another. */
let made = 0;

/**
 * Brings the objects of a custom kind to the version that an endpoint serves, and back to the one that is stored, where a webhook is
 * asked for that. What lies in the version that is wanted is not sent anywhere, and waits for nobody.
 */
export class VersionStage implements BodyConversion {
  readonly key = `webhook-${++made}`;
  readonly version: string;
  readonly #form: StoredForm;

  constructor(private readonly parts: VersionStageParts) {
    this.version = parts.served.version;
    this.#form = parts.form;
  }

  get defaults(): number {
    return this.#form.defaultsOf(this.version);
  }

  /** What one call may take: whoever has more to convert does well to bring it in portions of this size. */
  get limits(): ConversionLimits {
    return this.parts.webhook.limits;
  }

  /** Whether a body lies in the version that is served. */
  isServed(stored: Pick<StoredBody, 'storedVersion'>): boolean {
    return this.#form.versionOf(stored) === this.version;
  }

  /**
   * The bodies in the served version, in the order given, with a refusal in place of those of which none can be made.
   * @throws StatusError 500 where the webhook does not answer
   */
  async convert(_type: number, bodies: readonly StoredBody[]): Promise<readonly (Buffer | StatusError)[]> {
    const made = new Array<Buffer | StatusError>(bodies.length);
    const asked: { readonly at: number; readonly object: ApiObject }[] = [];
    const slices = new Slices();
    for (const [at, body] of bodies.entries()) {
      const object = this.isServed(body) ? undefined : tried(() => this.#lying(body));
      if (object === undefined) made[at] = filledBody(body, this.#form);
      else if (object instanceof StatusError) made[at] = object;
      else asked.push({ at, object });
      await slices.between();
    }
    const { webhook } = this.parts;
    const objects = asked.map(({ object }) => object);
    const converted = await webhook.convertEach(objects, this.#form.apiVersionOf(this.version));
    for (const [i, { at }] of asked.entries()) {
      const object = converted[i] as ApiObject | StatusError;
      made[at] = object instanceof StatusError ? object : await this.#body(object);
      await slices.between();
    }
    return made;
  }

  /**
   * Rows as if they had been stored in the served version, in the order given; those that are so already are the same objects.
   * @throws StatusError 500; 429 where too much is being converted
   */
  async toServed<R extends Stored>(rows: readonly R[]): Promise<readonly R[]> {
    const lying = rows.filter((row) => !this.isServed(row));
    if (lying.length === 0) return rows;
    const leave = await this.parts.webhook.room(lying.reduce((sum, { body }) => sum + body.length, 0));
    const converted = (await this.#converted(lying).finally(leave)).values();
    return rows.map((row) => (this.isServed(row) ? row : this.#servedRow(row, converted.next().value as Buffer)));
  }

  /** A row that lies in another version as if it had been stored in the served one, where a list before has had it converted. */
  known(row: Row): Row | undefined {
    const body = this.parts.webhook.kept?.find(this.key, row);
    return body && this.#servedRow(row, body);
  }

  /** {@link toServed} of what lies in another version, which is kept for lists to come. */
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

  /** An object of the served version in the one that bodies are written in. @throws StatusError 500 */
  async toStorage(object: ApiObject): Promise<ApiObject> {
    const { version } = this.#form;
    if (version === this.version) return object;
    const [converted] = await this.parts.webhook.convert([object], this.#form.apiVersionOf(version));
    await inSlices(this.#model(version).fit(converted as ApiObject));
    return converted as ApiObject;
  }

  /**
   * An object in another version of the kind with all that the webhook makes of it: owners lose none of their fields by being compared
   * there. @throws StatusError 500
   */
  async whole(object: ApiObject, apiVersion: string): Promise<ApiObject> {
    if (object.apiVersion === apiVersion) return object;
    if (isEmpty(object)) return { ...object, apiVersion };
    const [converted] = await this.parts.webhook.convert([object], apiVersion);
    return converted as ApiObject;
  }

  async #converted(bodies: readonly StoredBody[]): Promise<readonly Buffer[]> {
    if (bodies.length === 0) return [];
    const { webhook } = this.parts;
    const slices = new Slices();
    const objects: ApiObject[] = [];
    for (const body of bodies) {
      objects.push(this.#lying(body));
      await slices.between();
    }
    const converted: Buffer[] = [];
    for (const object of await webhook.convert(objects, this.#form.apiVersionOf(this.version))) {
      converted.push(await this.#body(object));
      await slices.between();
    }
    return converted;
  }

  /** @throws StatusError 500 for a version that the definition does not have any more */
  #lying(body: StoredBody): ApiObject {
    this.#model(this.#form.versionOf(body));
    return asItLies(body, this.#form, this.parts.served.kind);
  }

  /** What a webhook has made, as it would be stored. */
  async #body(object: ApiObject): Promise<Buffer> {
    await inSlices(this.#model(this.version).fit(object));
    return bodyOf(object);
  }

  /** @throws StatusError 500 for a version that the definition does not have any more */
  #model(version: string): StructuralModel {
    const model = this.parts.models.get(version);
    if (model) return model;
    const named = this.#form.apiVersionOf(version);
    throw new StatusError('InternalError', `request to convert CR from an invalid group/version: ${named}`);
  }
}

/** A failure as what is told of the one object that it is of. */
function tried<T>(make: () => T): T | StatusError {
  try {
    return make();
  } catch (error) {
    return StatusError.from(error);
  }
}

/** What has nothing but a type is never sent to a webhook. */
const isEmpty = ({ apiVersion: _version, kind: _kind, ...rest }: ApiObject): boolean => Object.keys(rest).length === 0;

/** A stored object as what serves it can be read at once. @throws StatusError 500 where a webhook would have to convert it, and does not */
export async function inServedVersion({ stage }: { readonly stage?: VersionStage }, stored: Stored): Promise<Stored> {
  if (!stage || stage.isServed(stored)) return stored;
  const [served = stored] = await stage.toServed([stored]);
  return served;
}
