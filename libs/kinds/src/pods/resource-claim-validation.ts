import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  invalidValue,
  notFoundValue,
  required,
  shortened,
} from '@orch/machinery';
import type { ClaimSource, PodResourceClaim, PodSpec, ResourceRequirements } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { shownClaimSource } from './shown-values.js';

/** Names of the claims that containers of a pod may ask for. */
export class PodClaims {
  readonly #names: ReadonlySet<string>;
  #listed: string | undefined;

  constructor(spec: PodSpec | undefined) {
    this.#names = new Set((spec?.resourceClaims ?? []).flatMap((claim) => claim.name || []));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Lists the names that there are, for messages; made once, as there may be many of both. */
  listed(): string {
    this.#listed ??= this.#list();
    return this.#listed;
  }

  #list(): string {
    const names = this.#names.size === 0 ? ' which is empty' : `: ${shortened([...this.#names].sort().join(', '))}`;
    return `must be one of the names in pod.spec.resourceClaims${names}`;
  }
}

/** Claims to resources that the pod brings along. */
export function validateResourceClaims(spec: PodSpec | undefined, path: string, podName?: string): FieldError[] {
  const seen = new Set<string>();
  return (spec?.resourceClaims ?? []).flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const name = claim.name ?? '';
    const again = seen.has(name);
    if (name !== '') seen.add(name);
    return [
      ...(again ? [duplicate(`${at}.name`, name)] : validateName(claim, `${at}.name`, podName)),
      ...validateSource(claim.source, `${at}.source`),
    ];
  });
}

function validateName(claim: PodResourceClaim, field: string, podName?: string): FieldError[] {
  const name = claim.name ?? '';
  if (name === '') return [required(field)];
  const errors = invalidEach(field, name, dnsLabelErrors(name));
  const made = typeof claim.source?.resourceClaimTemplateName === 'string';
  if (errors.length > 0 || podName === undefined || !made) return errors;
  const whole = `${podName}-${name}`;
  return dnsSubdomainErrors(whole).map((text) => invalidValue(field, whole, `final ResourceClaim name: ${text}`));
}

function validateSource(source: ClaimSource | undefined, path: string): FieldError[] {
  const [claim, template] = [source?.resourceClaimName, source?.resourceClaimTemplateName];
  const count = [claim, template].filter((name) => typeof name === 'string').length;
  const text =
    count === 2
      ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
  const checked = (name: string, value: string | undefined): FieldError[] =>
    typeof value === 'string' ? invalidEach(`${path}.${name}`, value, dnsSubdomainErrors(value)) : [];
  return [
    ...(count === 1 ? [] : [invalidValue(path, shownClaimSource(source), text)]),
    ...checked('resourceClaimName', claim),
    ...checked('resourceClaimTemplateName', template),
  ];
}

/** Claims that a container asks for must be the pod's. */
export function validateClaimsAsked(
  resources: ResourceRequirements | undefined,
  claims: PodClaims,
  path: string,
): FieldError[] {
  const seen = new Set<string>();
  return (resources?.claims ?? []).flatMap((claim, index) => {
    const field = `${path}[${index}]`;
    const name = claim.name ?? '';
    if (name === '') return [required(field)];
    const errors = seen.has(name) ? [duplicate(field, name)] : [];
    seen.add(name);
    return claims.has(name) ? errors : [...errors, notFoundValue(field, name, claims.listed())];
  });
}
