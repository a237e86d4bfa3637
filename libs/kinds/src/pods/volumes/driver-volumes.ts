import {
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  required,
  validateAnnotations,
  validateLabels,
} from '@orch/machinery';
import { validateClaim } from '../../core/claim-validation.js';
import { validateDriverName } from '../../core/csi-validation.js';
import { invalidEach, requiredText } from '../../rules/checks.js';
import { isObject, type Json, mapAt, objectAt, textAt } from '../../values/fields.js';
import type { PodContext } from '../pod-context.js';

/** Volumes that drivers provide, and those that are claimed. */

/** Metadata that the claim of a pod gets from the pod; as the reference writes the names in refusals. */
const NOT_IN_TEMPLATES: readonly (readonly [string, string])[] = [
  ...['name', 'generateName', 'namespace', 'selfLink'].map((name) => [name, name] as const),
  ['uid', 'uID'],
  ...['resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'].map((name) => [name, name] as const),
  ...['deletionGracePeriodSeconds', 'ownerReferences', 'finalizers', 'managedFields'].map(
    (name) => [name, name] as const,
  ),
];

export function validateCsi(source: Json, path: string): FieldError[] {
  const errors = validateDriverName(textAt(source, 'driver'), `${path}.driver`);
  const secret = source.nodePublishSecretRef;
  if (!isObject(secret)) return errors;
  const name = textAt(secret, 'name');
  if (name === '') return [...errors, required(`${path}.nodePublishSecretRef.name`)];
  return [...errors, ...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name))];
}

export const validateFlex = (source: Json, path: string, { names }: Pick<PodContext, 'names'>): FieldError[] => [
  ...requiredText(source, path, 'driver'),
  ...validateFlexOptions(source, path, names),
];

/** Options under the product's own domains are its own. */
function validateFlexOptions(source: Json, path: string, names: Names): FieldError[] {
  const domains = [...new Set([names.key('orch.io/').slice(0, -1), names.group('orch.io')])];
  const reserved = (key: string): boolean => {
    const slash = key.indexOf('/');
    const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    return domains.some((each) => domain.endsWith(`.${each}`));
  };
  const text = `${domains.join(' and ')} namespaces are reserved`;
  return Object.keys(mapAt(source, 'options'))
    .filter(reserved)
    .map((key) => invalidValue(`${path}.options[${key}]`, key, text));
}

export const validateClaimVolume = (source: Json, path: string): FieldError[] =>
  requiredText(source, path, 'claimName');

/** A claim that is made for the pod and goes with it. */
export function validateEphemeral(source: Json, path: string, { settings }: PodContext): FieldError[] {
  const template = source.volumeClaimTemplate;
  const field = `${path}.volumeClaimTemplate`;
  if (!isObject(template)) return [required(field)];
  return [
    ...validateAnnotations(mapAt(template, 'metadata', 'annotations'), `${field}.metadata.annotations`),
    ...validateLabels(mapAt(template, 'metadata', 'labels'), `${field}.metadata.labels`),
    ...validateTemplateMetadata(objectAt(template, 'metadata'), `${field}.metadata`),
    ...validateClaim(template.spec, `${field}.spec`, settings.features),
  ];
}

const validateTemplateMetadata = (metadata: Json, path: string): FieldError[] =>
  NOT_IN_TEMPLATES.filter(([name]) => isSet(metadata[name])).map(([, name]) =>
    forbiddenField(`${path}.${name}`, 'cannot be set'),
  );

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== 0;
