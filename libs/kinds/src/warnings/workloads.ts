import { dnsLabelErrors, type Names } from '@orch/machinery';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import type { ObjectMeta } from '@orch/schema/types/meta/v1';
import { podWarnings } from './pods.js';

/** Objects that have metadata. */
interface Named {
  readonly metadata?: ObjectMeta;
}

/** Warns of a name that becomes, or begins, the name of a host. @param whose such as `the Pod's hostname` */
export function hostNameWarnings({ metadata }: Named, whose = 'Pod names and hostnames'): string[] {
  const errors = dnsLabelErrors(metadata?.name ?? '');
  if (errors.length === 0) return [];
  const surprising = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${whose}, ${surprising}: [${errors.join(' ')}]`];
}

/** Reads the template of an object's pods. */
type TemplateOf<T> = (object: T) => PodTemplateSpec | undefined;

/** Warns of the template of an object that is new, or has another generation than the old one. @param path of the template */
export const templateWarnings =
  <T extends Named>(path: string, templateOf: TemplateOf<T>) =>
  (object: T, names: Names, old?: T): string[] =>
    old && old.metadata?.generation === object.metadata?.generation ? [] : podWarnings(templateOf(object), path, names);

/** Warns of a new workload's name, and of its template. @param path of the template */
export const workloadWarnings =
  <T extends Named>(path: string, templateOf: TemplateOf<T>) =>
  (object: T, names: Names, old?: T): string[] => [
    ...(old ? [] : hostNameWarnings(object)),
    ...templateWarnings(path, templateOf)(object, names, old),
  ];
