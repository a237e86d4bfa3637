import type { ApiObject, ObjectMeta } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import type { Target } from '../attributes.js';

/** A pod template, or the same members of a pod. */
export interface PodTemplate {
  /** Metadata of the pods; absent for none. */
  readonly metadata?: ObjectMeta;
  /** Spec of the pods. */
  readonly spec: PodSpec;
}

/** Paths of the pod template in objects, by resource. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  podtemplates: ['template'],
  replicationcontrollers: ['spec', 'template'],
  replicasets: ['spec', 'template'],
  deployments: ['spec', 'template'],
  daemonsets: ['spec', 'template'],
  statefulsets: ['spec', 'template'],
  jobs: ['spec', 'template'],
  cronjobs: ['spec', 'jobTemplate', 'spec', 'template'],
};
const GROUPS: Readonly<Record<string, string>> = {
  podtemplates: '',
  replicationcontrollers: '',
  jobs: 'batch',
  cronjobs: 'batch',
};

/** Returns whether objects of a resource hold a pod template. */
export const holdsTemplate = ({ group, resource }: Target): boolean =>
  Object.hasOwn(TEMPLATES, resource) && group === (GROUPS[resource] ?? 'apps');

/** Returns the pod template of an object; undefined for none. */
export function templateOf({ resource }: Target, object: ApiObject): PodTemplate | undefined {
  let found: unknown = object;
  for (const member of TEMPLATES[resource] ?? []) found = (found as Record<string, unknown> | undefined)?.[member];
  if (typeof found !== 'object' || found === null) return undefined;
  const { metadata, spec = {} } = found as Partial<PodTemplate>;
  return { spec, ...(metadata && { metadata }) };
}
