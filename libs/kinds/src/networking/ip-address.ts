import {
  canonicalAddress,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  isAddress,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, isObject, textAt } from '../values/fields.js';

export const ipAddress: KindDeclaration = {
  nameRule: 'pathSegment',
  validate: ({ spec }) => validateParent(at(spec, 'parentRef')),
  validateCreate: ({ metadata }) => validateName(metadata?.name ?? ''),
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'parentRef'),
  row(object) {
    const parent = (name: string) => textAt(object, 'spec', 'parentRef', name);
    const group = parent('group');
    const resource = group ? `${parent('resource')}.${group}` : parent('resource');
    return { ParentRef: [resource, parent('namespace'), parent('name')].filter(Boolean).join('/') };
  },
};

/** The name is the address, in its one form. */
function validateName(name: string): FieldError[] {
  const field = 'metadata.name';
  if (!isAddress(name) || /(^|\.)0\d/.test(name)) {
    return [invalidValue(field, name, `ParseAddr(${JSON.stringify(name)}): unable to parse IP`)];
  }
  return canonicalAddress(name) === name ? [] : [invalidValue(field, name, 'not a valid ip in canonical format')];
}

/** What has the address. */
function validateParent(parent: unknown): FieldError[] {
  const path = 'spec.parentRef';
  if (!isObject(parent)) return [required(path)];
  const group = textAt(parent, 'group');
  return [
    ...(group === '' ? [] : invalidEach(`${path}.group`, group, dnsSubdomainErrors(group))),
    ...['resource', 'name', 'namespace'].flatMap((name) => {
      const value = textAt(parent, name);
      const field = `${path}.${name}`;
      if (value !== '') return invalidEach(field, value, pathSegmentErrors(value));
      return name === 'namespace' ? [] : [required(field)];
    }),
  ];
}
