import type { ApiObject } from '@orch/machinery';
import { at, isObject, type Json, textAt } from '../values/fields.js';

/** What a claim may be filled with under the older name, by group. */
const KNOWN: Readonly<Record<string, string>> = {
  '': 'PersistentVolumeClaim',
  'snapshot.storage.k8s.io': 'VolumeSnapshot',
};

/**
 * Makes both names of what a claim is filled with say the same. Kinds that the older name never allowed are dropped from
 * it, and references into other namespaces, an alpha feature that is off; what a stored claim has already stays. Mutates.
 */
export function alignDataSources({ spec }: ApiObject, old?: ApiObject): void {
  if (!isObject(spec)) return;
  const [hadSource, hadReference] = ['dataSource', 'dataSourceRef'].map((name) => isObject(at(old, 'spec', name)));
  if (textAt(spec, 'dataSourceRef', 'namespace') !== '' && !hadReference) delete spec.dataSourceRef;
  const { dataSource: source } = spec;
  const known = isObject(source) && KNOWN[textAt(source, 'apiGroup')] === source.kind;
  if (isObject(source) && !known && !hadSource && !hadReference) delete spec.dataSource;
  if (isObject(spec.dataSource) && !isObject(spec.dataSourceRef)) spec.dataSourceRef = referenceOf(spec.dataSource);
  else if (isObject(spec.dataSourceRef) && !isObject(spec.dataSource) && !spec.dataSourceRef.namespace) {
    spec.dataSource = referenceOf(spec.dataSourceRef);
  }
}

const referenceOf = ({ apiGroup, kind, name }: Json): Json => ({
  ...(apiGroup !== undefined && { apiGroup }),
  kind,
  name,
});
