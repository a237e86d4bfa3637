import type { Conversions, Convert } from '@orch/kinds';
import { type ApiObject, copy, parseApiVersion, StatusError } from '@orch/machinery';
import { atOnce } from '@orch/schema';
import type { StructuralModel } from './structural-model.js';

/** Between the versions of a custom kind that differ in nothing but their names. */
export class CustomConversions implements Pick<Conversions, 'between'> {
  /** @param models by version */
  constructor(private readonly models: ReadonlyMap<string, StructuralModel>) {}

  /** The object itself with the other version written on it, and nothing that is not known there. */
  between(from: string, to: string): Convert {
    return this.#convert(from, to, this.models.get(parseApiVersion(to)?.version ?? ''));
  }

  /** The same for owners of fields, who lose none of what they own by being compared in another version. */
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

/** Conversions of a kind that a webhook converts: objects have been converted by a stage before they are read. */
export const CONVERTED_BEFORE: Pick<Conversions, 'between'> = {
  between: (from, to) => (object) => {
    if (from === to) return object;
    throw new StatusError('InternalError', `an object of ${from} was not converted to ${to}`);
  },
};
