import {
  canonicalAddress,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  isAddress,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import type { IPAddress, ParentReference } from '@orch/schema/types/networking/v1alpha1';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Rules of IPAddress, whose name is the address; the parent is immutable. */
export const ipAddress: KindDeclaration<IPAddress> = {
  nameRule: 'pathSegment',
  validate: ({ spec }) => validateParent(spec?.parentRef),
  validateCreate: ({ metadata }) => validateName(metadata?.name ?? ''),
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'parentRef'),
  row(object) {
    const parent = (name: keyof ParentReference) => object.spec?.parentRef?.[name] ?? '';
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

/** Checks the reference to the object that has the address. */
function validateParent(parent: ParentReference | undefined): FieldError[] {
  const path = 'spec.parentRef';
  if (!parent) return [required(path)];
  const group = parent.group ?? '';
  return [
    ...(group === '' ? [] : invalidEach(`${path}.group`, group, dnsSubdomainErrors(group))),
    ...(['resource', 'name', 'namespace'] as const).flatMap((name) => {
      const value = parent[name] ?? '';
      const field = `${path}.${name}`;
      if (value !== '') return invalidEach(field, value, pathSegmentErrors(value));
      return name === 'namespace' ? [] : [required(field)];
    }),
  ];
}
