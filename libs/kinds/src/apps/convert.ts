import type { ApiObject } from '@orch/machinery';
import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';
import { isEmpty, isObject, type Json, mapAt, objectAt } from '../values/fields.js';
import { keptAsAnnotation } from './kept-annotation.js';

/** Stands for "no bound" where the first versions of workloads had none. */
const UNBOUNDED = 2_147_483_647;

const rollback = keptAsAnnotation({
  annotation: 'deprecated.deployment.rollback.to',
  read: ({ rollbackTo }) => (isObject(rollbackTo) ? (rollbackTo.revision ?? 0) : undefined),
  write: (revision) => ({ rollbackTo: { revision } }),
  field: 'rollbackTo',
});

const templateGeneration = keptAsAnnotation({
  annotation: 'deprecated.daemonset.template.generation',
  read: ({ templateGeneration: generation }) => generation,
  write: (generation) => ({ templateGeneration: generation }),
  field: 'templateGeneration',
});

/** The first versions took selector and labels from the template where there were none. */
const labelsOfTemplate: Conversion = (object) => {
  const labels = mapAt(object, 'spec', 'template', 'metadata', 'labels');
  if (isEmpty(labels)) return object;
  const labelled = isEmpty(object.metadata?.labels)
    ? { ...object, metadata: { ...object.metadata, labels: { ...labels } } }
    : object;
  return edited(labelled, 'spec', (spec) => ({
    ...spec,
    selector: spec.selector ?? { matchLabels: { ...labels } },
  }));
};

const withSpec = (object: ApiObject, fill: (spec: Json) => Json): ApiObject =>
  edited(filled(object, { spec: {} }), 'spec', fill);

/** Defaults of the first Deployments: one at a time, for however long it takes, and nothing is forgotten. */
const firstDeployment: Conversion = (object, tools) =>
  withSpec(labelsOfTemplate(object, tools), (spec) => ({
    ...filled(spec, { progressDeadlineSeconds: UNBOUNDED, revisionHistoryLimit: UNBOUNDED }),
    strategy: oneAtATime(objectAt(spec, 'strategy')),
  }));

function oneAtATime(strategy: Json): Json {
  const typed = filled(strategy, { type: 'RollingUpdate' });
  if (typed.type !== 'RollingUpdate' && !isObject(typed.rollingUpdate)) return typed;
  return { ...typed, rollingUpdate: filled(objectAt(typed, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 1 }) };
}

const rememberTwo: Conversion = (object, tools) =>
  withSpec(labelsOfTemplate(object, tools), (spec) => filled(spec, { revisionHistoryLimit: 2 }));

const updatedOnDelete: Conversion = (object, tools) =>
  withSpec(labelsOfTemplate(object, tools), (spec) => ({
    ...spec,
    updateStrategy: filled(objectAt(spec, 'updateStrategy'), { type: 'OnDelete' }),
  }));

/** How workloads were written before `apps/v1`. */
export const WORKLOAD_VERSIONS: readonly VersionConversion[] = [
  { version: 'extensions/v1beta1', kinds: ['Deployment'], hub: 'apps/v1', ...rollback, defaults: firstDeployment },
  {
    version: 'extensions/v1beta1',
    kinds: ['DaemonSet'],
    hub: 'apps/v1',
    ...templateGeneration,
    defaults: updatedOnDelete,
  },
  { version: 'extensions/v1beta1', kinds: ['ReplicaSet'], hub: 'apps/v1', defaults: labelsOfTemplate },
  { version: 'apps/v1beta1', kinds: ['Deployment'], hub: 'apps/v1', ...rollback, defaults: rememberTwo },
  { version: 'apps/v1beta1', kinds: ['StatefulSet'], hub: 'apps/v1', defaults: updatedOnDelete },
  { version: 'apps/v1beta1', kinds: ['ControllerRevision'], hub: 'apps/v1' },
  {
    version: 'apps/v1beta2',
    kinds: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
    hub: 'apps/v1',
  },
];
