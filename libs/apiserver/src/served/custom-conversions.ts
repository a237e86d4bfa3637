import type { Conversions, Convert } from '@orch/kinds';
import { type ApiObject, copy, formatApiVersion, parseApiVersion, StatusError } from '@orch/machinery';
import { atOnce } from '@orch/schema';
import type { StructuralModel } from './structural-model.js';

/** Between the versions of a custom kind. */
export class CustomConversions implements Pick<Conversions, 'between'> {
  /** The same for owners of fields, who lose none of what they own by being compared in another version. */
  readonly whole: Pick<Conversions, 'between'> = { between: (from, to) => this.#convert(from, to, undefined) };

  /**
   * @param models by version
   * @param byWebhook the definition says that somebody outside converts
   */
  constructor(
    private readonly models: ReadonlyMap<string, StructuralModel>,
    private readonly byWebhook: boolean,
  ) {}

  /**
   * The object itself with the other version written on it, and nothing that is not known there.
   * @throws StatusError 500, when it is asked to convert, where a webhook would
   */
  between(from: string, to: string): Convert {
    return this.#convert(from, to, this.models.get(parseApiVersion(to)?.version ?? ''));
  }

  #convert(from: string, to: string, model: StructuralModel | undefined): Convert {
    if (from === to) return (object) => object;
    return (object) => {
      if (this.byWebhook) throw notConverted(object, from);
      if (!model) return { ...object, apiVersion: to };
      const { metadata, ...rest } = object;
      const converted: ApiObject = { ...copy(rest), ...(metadata && { metadata }), apiVersion: to };
      atOnce(model.fit(converted));
      return converted;
    };
  }
}

const notConverted = ({ kind }: ApiObject, apiVersion: string): StatusError => {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const named = `${formatApiVersion({ group, version })}, Kind=${kind}`;
  return new StatusError('InternalError', `conversion webhook for ${named} failed: webhooks are not called yet`);
};
