import type { Conversions, Convert } from '@orch/kinds';
import { type ApiObject, copy, parseApiVersion, StatusError } from '@orch/machinery';
import { atOnce } from '@orch/schema';
import type { StructuralModel } from './structural-model.js';

/** Conversions between the versions of a custom kind that differ only in their names. */
export class CustomConversions implements Pick<Conversions, 'between'> {
  /** @param models by version */
  constructor(private readonly models: ReadonlyMap<string, StructuralModel>) {}

  /**
   * Returns a conversion that replaces `apiVersion`, and prunes and defaults the object by the schema of the new
   * version.
   */
  between(from: string, to: string): Convert {
    return this.#convert(from, to, this.models.get(parseApiVersion(to)?.version ?? ''));
  }

  /**
   * Replaces `apiVersion` and prunes nothing, so that field managers lose no fields by a comparison in another version.
   */
  whole(object: ApiObject, to: string): ApiObject {
    return this.#convert(String(object.apiVersion), to, undefined)(object);
  }

  #convert(from: string, to: string, model: StructuralModel | undefined): Convert {
    if (from === to) return (object) => object;
    return (object) => {
      if (!model) return { ...object, apiVersion: to };
      const { metadata, ...rest } = object;
      const converted: ApiObject = { ...copy(rest), ...(metadata && { metadata }), apiVersion: to };
      atOnce(model.fit(converted));
      return converted;
    };
  }
}

/** Conversions of a kind that a webhook converts: a stage has converted the objects before they are read. */
export const CONVERTED_BEFORE: Pick<Conversions, 'between'> = {
  between: (from, to) => (object) => {
    if (from === to) return object;
    throw new StatusError('InternalError', `an object of ${from} was not converted to ${to}`);
  },
};
