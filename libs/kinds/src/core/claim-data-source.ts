import type { ApiObject } from '@orch/machinery';
import type { Features } from '@orch/schema';
import type { GatedFields } from '../rules/gated-fields.js';
import { at, isObject, type Json, textAt } from '../values/fields.js';

/** What a claim may be filled with under the older name, by group. */
const KNOWN: Readonly<Record<string, string>> = {
  '': 'PersistentVolumeClaim',
  'snapshot.storage.k8s.io': 'VolumeSnapshot',
};

/**
 * Makes both names of what a claim is filled with say the same. Kinds that the older name never allowed are dropped from
 * it when it stands alone; what a stored claim has already stays. Mutates.
 */
export function alignDataSources({ spec }: ApiObject, features: Features, old?: ApiObject): void {
  if (!isObject(spec)) return;
  const had = ['dataSource', 'dataSourceRef'].some((name) => isObject(at(old, 'spec', name)));
  const { dataSource: source } = spec;
  const known = isObject(source) && KNOWN[textAt(source, 'apiGroup')] === source.kind;
  if (isObject(source) && !known && !had && !isObject(spec.dataSourceRef)) delete spec.dataSource;
  if (!features.enabled('AnyVolumeDataSource')) return;
  if (isObject(spec.dataSource) && !isObject(spec.dataSourceRef)) spec.dataSourceRef = referenceOf(spec.dataSource);
  else if (isObject(spec.dataSourceRef) && !isObject(spec.dataSource) && !spec.dataSourceRef.namespace) {
    spec.dataSource = referenceOf(spec.dataSourceRef);
  }
}

/** A reference into another namespace. */
export const foreignDataSource: GatedFields = {
  feature: 'CrossNamespaceVolumeDataSource',
  inUse: (stored) => isObject(at(stored, 'spec', 'dataSourceRef')),
  drop({ spec }) {
    if (isObject(spec) && textAt(spec, 'dataSourceRef', 'namespace') !== '') delete spec.dataSourceRef;
  },
};

const referenceOf = ({ apiGroup, kind, name }: Json): Json => ({
  ...(apiGroup !== undefined && { apiGroup }),
  kind,
  name,
});
