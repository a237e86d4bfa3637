import { ALLOW } from '@orch/authorization';
import type { ApiObject, Names } from '@orch/machinery';
import type { Attributes, Target } from '../../attributes.js';
import { refusal } from '../../refusal.js';

/** Verbs on the virtual resource `signers`, which allow a user to act in the place of a signer. */
type SignerVerb = 'approve' | 'sign' | 'attest';

/** The group of certificate requests and of the rights on signers. */
export const certificatesGroup = (names: Names): string => names.group('certificates.orch.io');

/** Returns whether a write is about certificate requests, through a given subresource. */
export const isAboutRequests = (names: Names, { group, resource, subresource }: Target, through: string): boolean =>
  resource === 'certificatesigningrequests' && subresource === through && group === certificatesGroup(names);

/** The fields of certificate requests and trust bundles that are read here. */
export interface SignerObject extends ApiObject {
  readonly spec?: { readonly signerName?: string; readonly request?: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly unknown[] };
}

/** Returns the signer that an object names; empty for none. */
export const signerNameOf = (object: SignerObject | undefined): string => object?.spec?.signerName ?? '';

/**
 * Refuses a write to a user without a verb on a signer, by its name or by `domain/*`.
 * @param what of the refusal: `approve requests with`
 * @throws StatusError 403, also if the authorizer fails
 */
export async function requireSignerRight(
  names: Names,
  attributes: Attributes,
  verb: SignerVerb,
  signerName: string,
  what: string,
): Promise<void> {
  const [domain = ''] = signerName.split('/');
  for (const name of [signerName, `${domain}/*`]) {
    if (await isAllowed(names, attributes, verb, name)) return;
  }
  throw refusal(attributes, `user not permitted to ${what} signerName ${JSON.stringify(signerName)}`);
}

/** Returns whether the authorizer allows a verb; false if it fails. */
async function isAllowed(names: Names, attributes: Attributes, verb: SignerVerb, name: string): Promise<boolean> {
  const request = {
    verb,
    isResourceRequest: true,
    path: '',
    group: certificatesGroup(names),
    version: '*',
    resource: 'signers',
    subresource: '',
    namespace: '',
    name,
  };
  try {
    return (await attributes.authorizer.authorize(attributes.user, request)).decision === ALLOW.decision;
  } catch {
    return false;
  }
}
