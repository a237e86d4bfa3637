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
import { invalidEach } from '../rules/checks.js';
import { at, type Json, objectsAt, textAt } from '../values/fields.js';
import { shownClaimSource } from './shown-values.js';

/** Names of the claims that containers of a pod may ask for. */
export class PodClaims {
  readonly #names: ReadonlySet<string>;
  #listed: string | undefined;

  constructor(spec: unknown) {
    this.#names = new Set(objectsAt(spec, 'resourceClaims').flatMap((claim) => textAt(claim, 'name') || []));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** What is there, for those who asked for something else; made once, as there may be many of both. */
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
export function validateResourceClaims(spec: unknown, path: string, podName?: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'resourceClaims').flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const name = textAt(claim, 'name');
    const again = seen.has(name);
    if (name !== '') seen.add(name);
    return [
      ...(again ? [duplicate(`${at}.name`, name)] : validateName(claim, `${at}.name`, podName)),
      ...validateSource(claim.source, `${at}.source`),
    ];
  });
}

function validateName(claim: Json, field: string, podName?: string): FieldError[] {
  const name = textAt(claim, 'name');
  if (name === '') return [required(field)];
  const errors = invalidEach(field, name, dnsLabelErrors(name));
  const made = typeof at(claim, 'source', 'resourceClaimTemplateName') === 'string';
  if (errors.length > 0 || podName === undefined || !made) return errors;
  const whole = `${podName}-${name}`;
  return dnsSubdomainErrors(whole).map((text) => invalidValue(field, whole, `final ResourceClaim name: ${text}`));
}

function validateSource(source: unknown, path: string): FieldError[] {
  const [claim, template] = [at(source, 'resourceClaimName'), at(source, 'resourceClaimTemplateName')];
  const count = [claim, template].filter((name) => typeof name === 'string').length;
  const text =
    count === 2
      ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
      : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
  const checked = (name: string, value: unknown): FieldError[] =>
    typeof value === 'string' ? invalidEach(`${path}.${name}`, value, dnsSubdomainErrors(value)) : [];
  return [
    ...(count === 1 ? [] : [invalidValue(path, shownClaimSource(source), text)]),
    ...checked('resourceClaimName', claim),
    ...checked('resourceClaimTemplateName', template),
  ];
}

/** Claims that a container asks for must be the pod's. */
export function validateClaimsAsked(resources: unknown, claims: PodClaims, path: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(resources, 'claims').flatMap((claim, index) => {
    const field = `${path}[${index}]`;
    const name = textAt(claim, 'name');
    if (name === '') return [required(field)];
    const errors = seen.has(name) ? [duplicate(field, name)] : [];
    seen.add(name);
    return claims.has(name) ? errors : [...errors, notFoundValue(field, name, claims.listed())];
  });
}
