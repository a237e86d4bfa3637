import type { Features } from '@orch/schema';
import type {
  PersistentVolumeClaim,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '@orch/schema/types/core/v1';
import type { GatedFields } from '../rules/gated-fields.js';
import type { Json } from '../values/fields.js';

/** Kinds that a claim may be filled with under the older name, by group. */
const KNOWN: Readonly<Record<string, string>> = {
  '': 'PersistentVolumeClaim',
  'snapshot.storage.k8s.io': 'VolumeSnapshot',
};

/**
 * Aligns `dataSource` and `dataSourceRef` of a claim. Kinds that the older field never allowed are dropped from it if
 * it is set alone; a stored claim keeps its values. Mutates.
 */
export function alignDataSources(
  { spec }: PersistentVolumeClaim,
  features: Features,
  old?: PersistentVolumeClaim,
): void {
  if (!spec) return;
  const had = (['dataSource', 'dataSourceRef'] as const).some((name) => old?.spec?.[name]);
  const { dataSource: source } = spec;
  const known = source && KNOWN[source.apiGroup ?? ''] === source.kind;
  if (source && !known && !had && !spec.dataSourceRef) delete spec.dataSource;
  if (!features.enabled('AnyVolumeDataSource')) return;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = referenceOf(spec.dataSource);
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    spec.dataSource = referenceOf(spec.dataSourceRef);
  }
}

/** A reference into another namespace. */
export const foreignDataSource: GatedFields<PersistentVolumeClaim> = {
  feature: 'CrossNamespaceVolumeDataSource',
  inUse: (stored) => stored.spec?.dataSourceRef !== undefined,
  drop({ spec }) {
    if (spec?.dataSourceRef?.namespace) delete spec.dataSourceRef;
  },
};

const referenceOf = ({ apiGroup, kind, name }: TypedLocalObjectReference | TypedObjectReference): Json => ({
  ...(apiGroup !== undefined && { apiGroup }),
  kind,
  name,
});
