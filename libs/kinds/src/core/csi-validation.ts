import { dnsLabelErrors, dnsSubdomainErrors, type FieldError, required, tooLong } from '@orch/machinery';
import type { SecretReference } from '@orch/schema/types/core/v1';
import { invalidEach, requiredText } from '../rules/checks.js';

const MAX_DRIVER_NAME = 63;

/** The name of a CSI driver, as others refer to it. */
export const validateDriverName = (name: string, field: string): FieldError[] => [
  ...(name === '' ? [required(field)] : []),
  ...(Buffer.byteLength(name) > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
  ...invalidEach(field, name, dnsSubdomainErrors(name.toLowerCase())),
];

/** A reference to a Secret in a namespace, where there is one. */
export const validateSecretOf = (reference: SecretReference | undefined, path: string): FieldError[] =>
  reference
    ? [
        ...requiredText(reference, path, 'name', dnsSubdomainErrors),
        ...requiredText(reference, path, 'namespace', dnsLabelErrors),
      ]
    : [];
