import { dnsSubdomainErrors, type FieldError, invalidValue, type Names, required } from '@orch/machinery';
import type {
  CSIVolumeSource,
  EphemeralVolumeSource,
  FlexPersistentVolumeSource,
  FlexVolumeSource,
  PersistentVolumeClaimVolumeSource,
} from '@orch/schema/types/core/v1';
import { validateClaim } from '../../core/claim-validation.js';
import { validateDriverName } from '../../core/csi-validation.js';
import { invalidEach, requiredText } from '../../rules/checks.js';
import { validateTemplateMetadata } from '../../rules/template-metadata.js';
import type { PodContext } from '../pod-context.js';

/** Volumes that drivers provide, and those that are claimed. */

export function validateCsi(source: CSIVolumeSource, path: string): FieldError[] {
  const errors = validateDriverName(source.driver ?? '', `${path}.driver`);
  const secret = source.nodePublishSecretRef;
  if (!secret) return errors;
  const name = secret.name ?? '';
  if (name === '') return [...errors, required(`${path}.nodePublishSecretRef.name`)];
  return [...errors, ...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name))];
}

/** Checks a flex volume: driver, and no options in the product's domains. */
export const validateFlex = (
  source: FlexVolumeSource | FlexPersistentVolumeSource,
  path: string,
  { names }: Pick<PodContext, 'names'>,
): FieldError[] => [...requiredText(source, path, 'driver'), ...validateFlexOptions(source, path, names)];

/** Options under the product's own domains are its own. */
function validateFlexOptions(
  source: FlexVolumeSource | FlexPersistentVolumeSource,
  path: string,
  names: Names,
): FieldError[] {
  const domains = [...new Set([names.key('orch.io/').slice(0, -1), names.group('orch.io')])];
  const reserved = (key: string): boolean => {
    const slash = key.indexOf('/');
    const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    return domains.some((each) => domain.endsWith(`.${each}`));
  };
  const text = `${domains.join(' and ')} namespaces are reserved`;
  return Object.keys(source.options ?? {})
    .filter(reserved)
    .map((key) => invalidValue(`${path}.options[${key}]`, key, text));
}

/** Checks a claimed volume: name of the claim. */
export const validateClaimVolume = (source: PersistentVolumeClaimVolumeSource, path: string): FieldError[] =>
  requiredText(source, path, 'claimName');

/** A claim that is made for the pod and goes with it. */
export function validateEphemeral(source: EphemeralVolumeSource, path: string, { settings }: PodContext): FieldError[] {
  const template = source.volumeClaimTemplate;
  const field = `${path}.volumeClaimTemplate`;
  if (!template) return [required(field)];
  return [
    ...validateTemplateMetadata(template.metadata, `${field}.metadata`),
    ...validateClaim(template.spec, `${field}.spec`, settings.features),
  ];
}
