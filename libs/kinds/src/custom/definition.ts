import type { JsonObject, Names } from '@orch/machinery';
import type { Column, ResourceDescription, Subresource } from '@orch/schema';
import { at, isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import { servedNames } from './accepted-names.js';
import { newestVersion, versionWarning } from './deprecation.js';
import type { AcceptedNames } from './kind-names.js';

/** Verbs in the order of discovery. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const VERBS_OF_PART = ['get', 'patch', 'update'];
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Unique among the objects of its kind, in a namespace or in the cluster. It cannot be changed.',
  priority: 0,
};

/** Data that the versions of a definition share: read once, as there may be thousands of versions. */
export interface CommonParts {
  /** The definition. */
  readonly definition: JsonObject;
  /** Names that it is served under. */
  readonly accepted: AcceptedNames;
  /** Storage version. */
  readonly stored: string;
  /** Version that warnings of deprecated ones recommend; undefined for none. */
  readonly newest: string | undefined;
}

/** Reads the shared data. @param definition a valid one, whose names have been decided on */
export const commonParts = (definition: JsonObject): CommonParts => ({
  definition,
  accepted: servedNames(definition),
  stored: textAt(
    objectsAt(definition, 'spec', 'versions').find((each) => each.storage === true),
    'name',
  ),
  newest: newestVersion(definition),
});

/**
 * Returns the description of one version of a custom kind, without the schema of its objects.
 * @param common of its definition
 * @param version one of its versions
 * @param columns columns of tables after the name
 */
export function customResource(
  { definition, accepted, stored, newest }: CommonParts,
  version: Readonly<Json>,
  columns: readonly Column[],
  names: Names,
): ResourceDescription {
  const { plural: resource, singular, kind, listKind, shortNames, categories } = accepted;
  const [group, name] = [textAt(definition, 'spec', 'group'), textAt(version, 'name')];
  const warning = versionWarning(definition, version, newest);
  return {
    group,
    version: name,
    resource,
    singular,
    kind,
    listKind,
    shortNames,
    categories,
    namespaced: at(definition, 'spec', 'scope') === 'Namespaced',
    verbs: VERBS,
    subresources: subresourcesOf(version, { group, version: name, kind }, names),
    stored: true,
    storage: { group, version: stored, resource, kind },
    servedByDefault: true,
    columns: [NAME, ...columns],
    lifecycle: warning === undefined ? {} : { warning },
    groupPriority: GROUP_PRIORITY,
    versionPriority: VERSION_PRIORITY,
  };
}

type Served = Pick<Subresource, 'group' | 'version' | 'kind'>;

function subresourcesOf(version: Readonly<Json>, own: Served, names: Names): Subresource[] {
  const scale = { group: names.group('autoscaling'), version: 'v1', kind: 'Scale' };
  const known: [string, Served][] = [
    ['status', own],
    ['scale', scale],
  ];
  return known
    .filter(([name]) => isObject(at(version, 'subresources', name)))
    .map(([name, served]) => ({ name, ...served, verbs: VERBS_OF_PART }));
}
