import type { Patched, ReviewedForms, SentAs, Target } from '@orch/admission';
import { holdsMoreValues, isTooDeep, parseJson, stringifyJson } from '@orch/codec';
import { replicasOf, scaleType, scaleView, writeReplicas } from '@orch/handlers';
import { type ApiObject, copy, type JsonObject, type JsonValue } from '@orch/machinery';
import { applyJsonPatch, declaredType, equalJson } from '@orch/merge';
import {
  DeclaredModel,
  type Endpoint,
  inFullForm,
  type ObjectModel,
  type ServedResources,
  type ServedSnapshot,
  UNSTORED,
} from '@orch/resources';
import { inSlices, turnFor } from '@orch/runtime/work';
import { fullObject, type Scheme, type Subresource } from '@orch/schema';
import type { TypeId } from '@orch/storage';
import { readMade } from '@orch/writing';

/** Dependencies of the conversion of objects for webhooks. */
export interface ServedFormsParts {
  /** The served resources. */
  readonly served: Pick<ServedResources, 'current'>;
  /** The schemas of built-in kinds. */
  readonly scheme: Scheme;
  /** Most values of an object that a patch makes. */
  readonly maxValues: number;
}

/** Converts objects to the form that admission webhooks see, by the served resources. */
export class ServedForms implements ReviewedForms {
  #equivalents: { readonly of: ServedSnapshot; readonly byType: ReadonlyMap<TypeId, readonly Endpoint[]> } | undefined;

  constructor(private readonly parts: () => ServedFormsParts) {}

  get served(): unknown {
    return this.parts().served.current;
  }

  own(target: Target): SentAs {
    const { group, version, resource, kind, subresource } = target;
    const endpoint = this.#find(target);
    const declared = endpoint && subresourceOf(endpoint, subresource);
    return { resource: { group, version, resource }, kind: declared ? kindOf(declared) : { group, version, kind } };
  }

  equivalents(target: Target): readonly SentAs[] {
    const endpoint = this.#find(target);
    if (!endpoint || endpoint.type === UNSTORED) return [];
    return (this.#byType.get(endpoint.type) ?? []).flatMap((other) => {
      if (other === endpoint) return [];
      const { group, version, resource, kind } = other.definition;
      const named = { group, version, resource };
      if (target.subresource === '') return [{ resource: named, kind: { group, version, kind } }];
      const declared = subresourceOf(other, target.subresource);
      return declared ? [{ resource: named, kind: kindOf(declared) }] : [];
    });
  }

  async sent(object: ApiObject, target: Target, as: SentAs): Promise<ApiObject> {
    const [from, to] = [this.#endpoint(target), this.#endpoint(as.resource)];
    if (target.subresource === 'scale') {
      const { scheme } = this.parts();
      const type = scaleType({ scheme }, { endpoint: to });
      return fullObject(type.struct, scaleView({ endpoint: from, name: target.name }, type, object));
    }
    return inFullForm(this.#model(as), from === to ? object : await converted(object, from, to));
  }

  async patched(sent: ApiObject, patch: Buffer, as: SentAs): Promise<Patched | undefined> {
    const { maxValues } = this.parts();
    await turnFor(patch.length);
    const operations = parseJson(patch, { maxValues }).value;
    if (operations === null || (Array.isArray(operations) && operations.length === 0)) return undefined;
    const model = this.#model(as);
    const type = model.struct && { type: declaredType(model.struct, { zeros: true }) };
    const result = applyJsonPatch(copy(sent) as JsonObject, operations, type);
    if (isTooDeep(result)) throw new Error('exceeded max depth');
    const bytes = Buffer.from(stringifyJson(result));
    if (holdsMoreValues(bytes, maxValues)) throw new Error(`the object has more than ${maxValues} values`);
    await turnFor(bytes.length);
    const { object } = await readMade(model, asObject(result), (message) => new Error(message) as never);
    object.apiVersion = sent.apiVersion ?? '';
    object.kind = sent.kind ?? '';
    const changed = !equalJson(inFullForm(model, object) as JsonValue, inFullForm(model, sent) as JsonValue);
    await inSlices(model.fillDefaults(object));
    if (model === this.#endpoint(as.resource).model) this.#endpoint(as.resource).rules.defaults(object);
    return { object, changed, operations: () => stringifyJson(operations) };
  }

  async take(object: ApiObject, made: ApiObject, target: Target, as: SentAs): Promise<void> {
    const [own, other] = [this.#endpoint(target), this.#endpoint(as.resource)];
    if (target.subresource === 'scale') {
      writeReplicas({ endpoint: own, name: target.name }, object, replicasOf(made));
      return;
    }
    const back = own === other ? made : await converted(made, other, own);
    // What the full form alone has put there is not stored.
    if (target.subresource === '') own.model.alignZeros(back, object);
    for (const name of Object.keys(object)) delete object[name];
    Object.assign(object, back);
  }

  #model({ resource, kind }: SentAs): ObjectModel {
    const { model } = this.#endpoint(resource);
    if (model.kind === kind.kind && model.version === kind.version && model.group === kind.group) return model;
    const { scheme } = this.parts();
    return new DeclaredModel(kind, structOf(scheme, kind));
  }

  get #byType(): ReadonlyMap<TypeId, readonly Endpoint[]> {
    const { current } = this.parts().served;
    if (this.#equivalents?.of !== current) {
      const byType = new Map<TypeId, Endpoint[]>();
      for (const endpoint of current.endpoints) {
        const known = byType.get(endpoint.type);
        if (known) known.push(endpoint);
        else byType.set(endpoint.type, [endpoint]);
      }
      this.#equivalents = { of: current, byType };
    }
    return this.#equivalents.byType;
  }

  #find({ group, version, resource }: Pick<Target, 'group' | 'version' | 'resource'>): Endpoint | undefined {
    return this.parts().served.current.find(group, version, resource);
  }

  #endpoint(resource: Pick<Target, 'group' | 'version' | 'resource'>): Endpoint {
    const found = this.#find(resource);
    if (found) return found;
    const { group, version, resource: name } = resource;
    throw new Error(`unable to convert to ${group}/${version}, Resource=${name}: unknown kind`);
  }
}

const subresourceOf = ({ definition }: Endpoint, name: string): Subresource | undefined =>
  name === '' ? undefined : definition.subresources.find((each) => each.name === name);

const kindOf = ({ group, version, kind }: Subresource) => ({ group, version, kind });

/** The struct of a kind that is sent to a subresource, which has no resource of its own. */
function structOf(scheme: Scheme, { group, version, kind }: SentAs['kind']) {
  const short = group === '' ? 'core' : (group.split('.')[0] as string);
  return scheme.struct(`${short}/${version}.${kind}`);
}

function asObject(value: JsonValue): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('the patch does not make an object');
}

/** An object of one version in another. Both are versions of the same stored objects. */
async function converted(object: ApiObject, from: Endpoint, to: Endpoint): Promise<ApiObject> {
  const custom = from.storage === from.definition && from.conversion === undefined && to.conversion === undefined;
  if (!custom) {
    const stored = from.conversion ? from.conversion.toStorage(object) : object;
    return to.conversion ? to.conversion.toServed(stored) : stored;
  }
  const asOther = from.stage
    ? await from.stage.whole(object, to.apiVersion)
    : { ...copy(object), apiVersion: to.apiVersion };
  const { object: made } = await readMade(to.model, asOther as JsonObject);
  return { ...made, apiVersion: to.apiVersion, kind: to.definition.kind };
}
