import { type ApiObject, copy, type Names } from '@orch/machinery';
import type { ResourceDefinition, StructSchema } from '@orch/schema';
import { equal } from '../values/equal.js';
import { ensureObject, isEmpty } from '../values/fields.js';
import { cellsOf } from './cells.js';
import { validateFinalizerNames } from './finalizers.js';
import { type DropDisabled, dropDisabled } from './gated-fields.js';
import type { Generation, KindDeclaration, KindRules, WriteContext } from './kind-rules.js';
import {
  desiredChanged,
  desiredMembers,
  emptyStatus,
  hasStatusSubresource,
  keepDesired,
  keepStatus,
} from './separation.js';
import type { KindSettings } from './settings.js';

const later = async (): Promise<void> => undefined;

/** The parts of a definition that rules look at; custom kinds declare no structs. */
export type RuledDefinition = Pick<ResourceDefinition, 'columns' | 'subresources'> & { readonly schema?: StructSchema };

/** The complete rules of a kind: what it declares, and the generic behaviour for the rest. */
export function deriveRules(
  definition: RuledDefinition,
  declared: KindDeclaration,
  names: Names,
  { features }: KindSettings,
): KindRules {
  const drop = dropDisabled(declared.gatedFields ?? [], features, names);
  const dropStatus = dropDisabled(declared.gatedStatus ?? [], features, names);
  const fields = Object.entries(declared.selectableFields ?? {});
  const finalizers = (object: ApiObject, old?: ApiObject) =>
    declared.freeFinalizers ? [] : validateFinalizerNames(object, old, names);
  return {
    nameRule: declared.nameRule ?? 'subdomain',
    hasGeneration: generationOf(declared)?.first === 1,
    createOnUpdate: declared.createOnUpdate ?? false,
    unconditionalUpdate: declared.unconditionalUpdate ?? true,
    defaultPropagation: declared.defaultPropagation ?? 'Background',
    ...(declared.deletionWarning !== undefined && { deletionWarning: declared.deletionWarning }),
    defaults: (object) => declared.defaults?.(object, names),
    prepareForCreate: creating(definition, declared, names, drop),
    prepareForUpdate: updating(definition, declared, names, (subresource) =>
      subresource === 'status' ? dropStatus : drop,
    ),
    resetFields: resetting(definition, declared),
    prepareForDelete: (object, begins) => declared.prepareForDelete?.(object, begins, names),
    hasFinalizers: (object) => !isEmpty(object.metadata?.finalizers) || (declared.hasFinalizers?.(object) ?? false),
    *validateCreate(object) {
      yield finalizers(object);
      if (declared.validate) yield declared.validate(object, names);
      if (declared.validateInSteps) yield* declared.validateInSteps(object, names);
      if (declared.validateCreate) yield declared.validateCreate(object, names);
    },
    validateServed: declared.validateServed ?? (() => []),
    validateServedUpdate: declared.validateServedUpdate ?? (() => []),
    *validateUpdate(object, old, subresource = '') {
      const changed = (declared.validate || declared.validateInSteps) && desiredChanged(object, old);
      yield finalizers(object, old);
      if (declared.validate && changed) yield declared.validate(object, names, old);
      if (declared.validateInSteps && changed) yield* declared.validateInSteps(object, names, old);
      if (declared.validateUpdate) yield declared.validateUpdate(object, old, names, subresource);
      if (declared.validateStatus && !equal(object.status, old.status)) {
        yield declared.validateStatus(object, names, old, subresource);
      }
    },
    warnings: (object, old) => declared.warnings?.(object, names, old) ?? [],
    allocate: declared.allocate ?? (() => undefined),
    release: declared.release ?? later,
    cells: cellsOf(definition, declared, names),
    selectableFieldNames: fields.map(([name]) => name),
    storedFieldName: (name) => declared.storedFieldNames?.get(name) ?? name,
    refusedFieldName: (field) => declared.refusedFieldNames?.get(field) ?? field,
    selectableFields: (object) => Object.fromEntries(fields.map(([name, read]) => [name, read(object)])),
    isGraceful: declared.gracePeriod !== undefined,
    gracePeriod: declared.gracePeriod ?? (() => 0),
    ...(declared.scale && { scale: declared.scale }),
  };
}

function creating(definition: RuledDefinition, declared: KindDeclaration, names: Names, drop: DropDisabled<ApiObject>) {
  const resetsStatus = hasStatusSubresource(definition) && !declared.keepsStatusOnCreate;
  const empty = definition.schema && emptyStatus(definition.schema);
  return (object: ApiObject, { user }: WriteContext): void => {
    if (resetsStatus) {
      if (empty) object.status = copy(empty);
      else delete object.status;
    }
    const { first } = generationOf(declared) ?? { first: 0 };
    if (first > 0) ensureObject(object, 'metadata').generation = first;
    else delete object.metadata?.generation;
    drop(object);
    declared.prepareForCreate?.(object, names, user);
  };
}

function updating(
  definition: RuledDefinition,
  declared: KindDeclaration,
  names: Names,
  dropOf: (subresource: string) => DropDisabled<ApiObject>,
) {
  const separates = hasStatusSubresource(definition);
  return (object: ApiObject, old: ApiObject, { subresource, now }: WriteContext): void => {
    const special = declared.subresources?.[subresource];
    if (special) special(object, old, now);
    else if (subresource === 'status') keepDesired(object, old);
    else if (separates) keepStatus(object, old);
    dropOf(subresource)(object, old);
    if (subresource === '') declared.prepareForUpdate?.(object, old, names);
    // A write of the status does not change the desired state.
    countGeneration(object, old, subresource === 'status' ? undefined : generationOf(declared));
  };
}

function resetting(definition: RuledDefinition, declared: KindDeclaration): KindRules['resetFields'] {
  const separates = hasStatusSubresource(definition);
  const own = separates ? [['status']] : [];
  const generic = new Map([
    ['', own],
    ['status', separates && definition.schema ? desiredMembers(definition.schema).map((name) => [name]) : []],
    ...writingOneField(definition),
  ]);
  return (subresource) => declared.resetFields?.[subresource] ?? generic.get(subresource) ?? own;
}

/** Subresources that write one field of the spec, and nothing else. */
const ONE_FIELD: ReadonlyMap<string, string> = new Map([
  ['scale', 'replicas'],
  ['ephemeralcontainers', 'ephemeralContainers'],
]);

/** Paths of what no write through such a subresource changes. */
function writingOneField({ schema, subresources }: RuledDefinition): [string, string[][]][] {
  const spec = schema?.fields.get('spec')?.schema;
  if (spec?.kind !== 'struct') return [];
  return subresources.flatMap(({ name }) => {
    const written = ONE_FIELD.get(name);
    if (written === undefined) return [];
    const others = [...spec.fields.keys()].filter((field) => field !== written);
    return [[name, [['metadata'], ['status'], ...others.map((field) => ['spec', field])]]];
  });
}

const generationOf = ({ generation }: KindDeclaration): Generation | undefined =>
  generation === true ? { first: 1, rises: desiredChanged } : generation;

/** Sets the generation, which clients cannot set: the old one, incremented if a counted part has changed. */
function countGeneration(object: ApiObject, old: ApiObject, counted: Generation | undefined): void {
  const metadata = ensureObject(object, 'metadata');
  const before = old.metadata?.generation ?? 0;
  const generation = counted?.rises(object, old) ? before + 1 : before;
  if (generation > 0) metadata.generation = generation;
  else delete metadata.generation;
}
