import type { ApiObject, ObjectMeta } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import type { Target } from '../attributes.js';

/** What pods are made from, or a pod itself. */
export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

/** Where templates of pods lie in objects of a resource. */
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

/** Whether objects of a resource hold a template of pods. */
export const holdsTemplate = ({ group, resource }: Target): boolean =>
  Object.hasOwn(TEMPLATES, resource) && group === (GROUPS[resource] ?? 'apps');

/** The template of an object; undefined where it has none. */
export function templateOf({ resource }: Target, object: ApiObject): PodTemplate | undefined {
  let found: unknown = object;
  for (const member of TEMPLATES[resource] ?? []) found = (found as Record<string, unknown> | undefined)?.[member];
  if (typeof found !== 'object' || found === null) return undefined;
  const { metadata, spec = {} } = found as Partial<PodTemplate>;
  return { spec, ...(metadata && { metadata }) };
}
