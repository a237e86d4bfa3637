import { type ApiObject, dnsLabelErrors, type Names } from '@orch/machinery';
import { at } from '../values/fields.js';
import { podWarnings } from './pods.js';

/** Of a name that becomes, or begins, the name of a host. @param whose such as `the Pod's hostname` */
export function hostNameWarnings({ metadata }: ApiObject, whose = 'Pod names and hostnames'): string[] {
  const errors = dnsLabelErrors(metadata?.name ?? '');
  if (errors.length === 0) return [];
  const surprising = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${whose}, ${surprising}: [${errors.join(' ')}]`];
}

/** Of the template at a path of an object that is new, or has another generation than the old one. */
export const templateWarnings =
  (...path: readonly string[]) =>
  (object: ApiObject, names: Names, old?: ApiObject): string[] =>
    old && old.metadata?.generation === object.metadata?.generation
      ? []
      : podWarnings(at(object, ...path), path.join('.'), names);

/** Of a new workload's name, and of its template. */
export const workloadWarnings =
  (...path: readonly string[]) =>
  (object: ApiObject, names: Names, old?: ApiObject): string[] => [
    ...(old ? [] : hostNameWarnings(object)),
    ...templateWarnings(...path)(object, names, old),
  ];
