import { type FieldError, forbiddenField, invalidValue, type Names } from '@orch/machinery';
import type { Pod, PodSpec, PodTemplateSpec, Toleration } from '@orch/schema/types/core/v1';
import { isObject, type Json, numberAt, textAt } from '../values/fields.js';
import { allContainers } from './containers.js';
import type { PodContext } from './pod-context.js';
import { validateSeccompAnnotations } from './seccomp-validation.js';
import { validateTolerations } from './toleration-validation.js';

type Annotations = Readonly<Record<string, string>>;

const PROFILES = ['', 'runtime/default', 'unconfined'];
const LOCAL_PROFILE = 'localhost/';
/** Without a plus sign and, unless negative, without leading zeros. */
const COST = /^(0|-[0-9]+|[1-9][0-9]*)$/;
const INT32 = 2 ** 31;

const mirrorKey = (names: Names): string => names.key('orch.io/config.mirror');
const tolerationsKey = (names: Names): string => names.key('scheduler.alpha.orch.io/tolerations');
const costKey = (names: Names): string => names.key('controller.orch.io/pod-deletion-cost');
/** Keys of annotations that name the AppArmor profile of a container begin with this. */
export const appArmorPrefix = (names: Names): string => names.key('container.apparmor.security.beta.orch.io/');

/** Annotations of a pod or a template that mean something to the product. */
export function validatePodAnnotations(
  owner: Pod | PodTemplateSpec | undefined,
  path: string,
  { names, settings, kept }: PodContext,
): FieldError[] {
  const annotations = owner?.metadata?.annotations ?? {};
  // Those of others are nearly all that there are.
  const domain = names.key('orch.io/');
  if (!Object.keys(annotations).some((key) => key.includes(domain))) return [];
  const spec = owner?.spec;
  const anyCost = kept.deletionCost || !settings.features.enabled('PodDeletionCost');
  return [
    ...validateMirror(annotations, spec, path, names),
    ...validateTolerationsOf(annotations[tolerationsKey(names)], path, names),
    ...(anyCost || hasDeletionCost(annotations, names) ? [] : [wrongCost(annotations, path, names)]),
    ...validateSeccompAnnotations(annotations, path, names),
    ...validateAppArmor(annotations, spec, path, names),
  ];
}

/** A pod that mirrors one of a node's own is of that node. */
function validateMirror(annotations: Annotations, spec: PodSpec | undefined, path: string, names: Names): FieldError[] {
  const key = mirrorKey(names);
  if (!Object.hasOwn(annotations, key) || (spec?.nodeName ?? '') !== '') return [];
  return [invalidValue(`${path}[${key}]`, annotations[key], 'must set spec.nodeName if mirror pod annotation is set')];
}

/** Whether the cost of the deletion of a pod can be read; nothing costs nothing. */
export function hasDeletionCost(annotations: Annotations, names: Names): boolean {
  const cost = annotations[costKey(names)];
  return cost === undefined || (COST.test(cost) && Number(cost) >= -INT32 && Number(cost) < INT32);
}

const wrongCost = (annotations: Annotations, path: string, names: Names): FieldError =>
  invalidValue(`${path}[${costKey(names)}]`, annotations[costKey(names)], 'must be a 32bit integer');

/** Tolerations as they were given before there was a field. */
function validateTolerationsOf(text: string | undefined, path: string, names: Names): FieldError[] {
  if (text === undefined || text === '') return [];
  const tolerations = readTolerations(text);
  if (tolerations) return validateTolerations(tolerations, `${path}.${tolerationsKey(names)}`);
  return [invalidValue(path, tolerationsKey(names), 'not a list of tolerations in JSON')];
}

function readTolerations(text: string): Toleration[] | undefined {
  try {
    const read: unknown = JSON.parse(text) ?? [];
    return Array.isArray(read) && read.every(isObject) ? read.map(tolerationOf) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A toleration of the members that have the type of theirs: nothing has checked the text of an annotation. */
const tolerationOf = (read: Json): Toleration => {
  const seconds = numberAt(read, 'tolerationSeconds');
  return {
    key: textAt(read, 'key'),
    operator: textAt(read, 'operator'),
    value: textAt(read, 'value'),
    effect: textAt(read, 'effect'),
    ...(seconds !== undefined && { tolerationSeconds: seconds }),
  } as Toleration;
};

/** Profiles of AppArmor, by container. */
function validateAppArmor(
  annotations: Annotations,
  spec: PodSpec | undefined,
  path: string,
  names: Names,
): FieldError[] {
  const prefix = appArmorPrefix(names);
  const keys = Object.keys(annotations).filter((key) => key.startsWith(prefix));
  if (keys.length === 0) return [];
  const containers = new Set(allContainers(spec).map((container) => container.name ?? ''));
  return keys.flatMap((key) => {
    const [name, profile] = [key.slice(prefix.length), annotations[key] ?? ''];
    const errors = containers.has(name) ? [] : [invalidValue(`${path}[${key}]`, name, 'container not found')];
    if (PROFILES.includes(profile) || profile.startsWith(LOCAL_PROFILE)) return errors;
    const text = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
    return [...errors, invalidValue(`${path}[${key}]`, profile, text)];
  });
}

/** Refuses changes of annotations that a pod was started with: its profiles, and that it mirrors another. */
export function validateAnnotationsUpdate(object: Pod, old: Pod, path: string, names: Names): FieldError[] {
  const [after, before] = [object.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}];
  const [prefix, mirror] = [appArmorPrefix(names), mirrorKey(names)];
  const refuse = (key: string, verb: string): FieldError[] => {
    if (key.startsWith(prefix)) return [forbiddenField(`${path}[${key}]`, `may not ${verb} AppArmor annotations`)];
    return key === mirror ? [forbiddenField(`${path}[${key}]`, `may not ${verb} mirror pod annotation`)] : [];
  };
  return [
    ...Object.keys(before).flatMap((key) => (after[key] === before[key] ? [] : refuse(key, 'remove or update'))),
    ...Object.keys(after).flatMap((key) => (Object.hasOwn(before, key) ? [] : refuse(key, 'add'))),
  ];
}

/** Whether a pod mirrors one that a node has of its own. */
export const isMirror = (pod: Pod, names: Names): boolean =>
  Object.hasOwn(pod.metadata?.annotations ?? {}, mirrorKey(names));
