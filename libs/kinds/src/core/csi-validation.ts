import { dnsLabelErrors, dnsSubdomainErrors, type FieldError, required, tooLong } from '@orch/machinery';
import { invalidEach, requiredText } from '../rules/checks.js';
import { isObject } from '../values/fields.js';

const MAX_DRIVER_NAME = 63;

/** The name of a CSI driver, as others refer to it. */
export const validateDriverName = (name: string, field: string): FieldError[] => [
  ...(name === '' ? [required(field)] : []),
  ...(Buffer.byteLength(name) > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
  ...invalidEach(field, name, dnsSubdomainErrors(name.toLowerCase())),
];

/** A reference to a Secret in a namespace, where there is one. */
export const validateSecretOf = (reference: unknown, path: string): FieldError[] =>
  isObject(reference)
    ? [
        ...requiredText(reference, path, 'name', dnsSubdomainErrors),
        ...requiredText(reference, path, 'namespace', dnsLabelErrors),
      ]
    : [];
