import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, ensureMetadata } from '@orch/machinery';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@orch/schema/types/core/v1';
import type { Attributes } from '../../attributes.js';
import { requireReadable } from '../../known-objects.js';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { isAboutPods } from '../pods/pods.js';
import { isAboutClaims } from '../storage/claims.js';
import {
  type Asked,
  largerOf,
  maximumProblem,
  maximumRequestProblem,
  minimumProblem,
  type ResourceQuantities,
  ratioProblem,
  sumOf,
} from './limit-checks.js';

/**
 * Refuses pods and claims outside of the limits of their namespace, and gives containers without requests or limits its
 * defaults.
 */
export const limitRanger: PluginMaker = ({ names, objects, isEnabled }) => {
  const ranges = objects.follow({ group: '', resource: 'limitranges' });
  const note = names.key('orch.io/limit-ranger');
  const resizing = isEnabled('InPlacePodVerticalScaling');
  const inForce = ({ namespace, oldObject }: Attributes): readonly LimitRange[] => {
    if (oldObject?.metadata?.deletionTimestamp !== undefined) return [];
    requireReadable(ranges, namespace);
    return [...ranges.in(namespace)] as LimitRange[];
  };
  return {
    name: 'LimitRanger',
    looksOnly: true,
    handles: (target) =>
      // Containers of a pod that is there stay as they are, unless they may be resized.
      ((target.operation === 'CREATE' || (resizing && target.operation === 'UPDATE')) && isAboutPods(target)) ||
      (target.operation !== 'DELETE' && isAboutClaims(target)),
    admit(attributes) {
      if (attributes.resource !== 'pods' || attributes.operation !== 'CREATE') return;
      for (const range of inForce(attributes)) setDefaults(attributes.object as ApiObject & Pod, range, note);
    },
    validate(attributes) {
      if (attributes.resource === 'pods' && attributes.operation === 'UPDATE' && !isResized(attributes)) return;
      for (const { spec } of inForce(attributes)) {
        const items = spec?.limits ?? [];
        const problems = new Set(items.flatMap((item) => problemsWith(item, attributes)));
        if (problems.size > 0) throw refusal(attributes, joined([...problems]));
      }
    },
  };
};

/** Whether an update of a pod has containers ask for anything else than before: a limit may be younger than the pod. */
const isResized = ({ object, oldObject }: Attributes): boolean =>
  !isDeepStrictEqual(...([object, oldObject].map((pod) => resourcesIn(pod as Pod)) as [Asked[], Asked[]]));

const resourcesIn = ({ spec }: Pod): readonly Asked[] =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(askedBy);

const problemsWith = (item: LimitRangeItem, { resource, object }: Attributes): readonly string[] =>
  resource === 'pods' ? podProblems(item, object as Pod) : claimProblems(item, object as PersistentVolumeClaim);

const joined = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;

/** Gives containers the defaults that they lack, and notes these in an annotation. */
function setDefaults(pod: ApiObject & Pod, { spec }: LimitRange, note: string): void {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  const requests: ResourceQuantities = Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest));
  const limits: ResourceQuantities = Object.assign({}, ...items.map((item) => item.default));
  const set = (containers: readonly Container[] = [], what: string) =>
    containers.flatMap((container) => [
      ...noted(fill(container, 'requests', requests), 'request', what, container),
      ...noted(fill(container, 'limits', limits), 'limit', what, container),
    ]);
  const notes = [...set(pod.spec?.containers, 'container'), ...set(pod.spec?.initContainers, 'init container')];
  if (notes.length === 0) return;
  const metadata = ensureMetadata(pod);
  metadata.annotations = { ...metadata.annotations, [note]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

/** @returns the resources that were missing */
function fill(container: Container, field: 'requests' | 'limits', defaults: ResourceQuantities): readonly string[] {
  const own = container.resources?.[field] ?? {};
  const missing = Object.keys(defaults).filter((resource) => !Object.hasOwn(own, resource));
  if (missing.length > 0) container.resources = { ...container.resources, [field]: { ...defaults, ...own } };
  return missing;
}

const noted = (set: readonly string[], field: string, what: string, { name = '' }: Container): readonly string[] =>
  set.length === 0 ? [] : [`${[...set].sort().join(', ')} ${field} for ${what} ${name}`];

type Check = (what: string, resource: string, text: string, asked: Asked) => string | undefined;

const problemsOf = (check: Check, what: string, rule: ResourceQuantities = {}, asked: Asked): readonly string[] =>
  Object.entries(rule).flatMap(([resource, text]) => check(what, resource, text, asked) ?? []);

function podProblems({ type = '', min, max, maxLimitRequestRatio }: LimitRangeItem, { spec }: Pod) {
  const { containers = [], initContainers = [] } = spec ?? {};
  const judged =
    type === 'Container'
      ? [...containers, ...initContainers].map(askedBy)
      : type === 'Pod'
        ? [askedTogether(containers.map(askedBy), initContainers.map(askedBy))]
        : [];
  return judged.flatMap((asked) => [
    ...problemsOf(minimumProblem, type, min, asked),
    ...problemsOf(maximumProblem, type, max, asked),
    ...problemsOf(ratioProblem, type, maxLimitRequestRatio, asked),
  ]);
}

const askedBy = ({ resources }: Container): Asked => ({
  requests: resources?.requests ?? {},
  limits: resources?.limits ?? {},
});

/** Containers run together, and each that comes before them alone. */
function askedTogether(containers: readonly Asked[], before: readonly Asked[]): Asked {
  const together = (field: keyof Asked) =>
    before.reduce(
      (sum: ResourceQuantities, asked) => largerOf(sum, asked[field]),
      sumOf(containers.map((asked) => asked[field])),
    );
  return { requests: together('requests'), limits: together('limits') };
}

function claimProblems({ type = '', min, max }: LimitRangeItem, { spec }: PersistentVolumeClaim) {
  if (type !== 'PersistentVolumeClaim') return [];
  const asked: Asked = { requests: spec?.resources?.requests ?? {}, limits: {} };
  return [...problemsOf(minimumProblem, type, min, asked), ...problemsOf(maximumRequestProblem, type, max, asked)];
}
