import { ALLOW } from '@orch/authorization';
import type { ApiObject, Names } from '@orch/machinery';
import type { Attributes, Target } from '../../attributes.js';
import { refusal } from '../../refusal.js';

/** What somebody may do in the place of a signer: verbs on the resource `signers`, which is served nowhere. */
type SignerVerb = 'approve' | 'sign' | 'attest';

/** The group of certificate requests and of the rights on signers. */
export const certificatesGroup = (names: Names): string => names.group('certificates.orch.io');

/** Whether a write is about certificate requests, through a subresource. */
export const isAboutRequests = (names: Names, { group, resource, subresource }: Target, through: string): boolean =>
  resource === 'certificatesigningrequests' && subresource === through && group === certificatesGroup(names);

/** What of valid requests, and of bundles, is looked at. */
export interface SignerObject extends ApiObject {
  readonly spec?: { readonly signerName?: string; readonly request?: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly unknown[] };
}

/** The signer that an object names; empty for none. */
export const signerNameOf = (object: SignerObject | undefined): string => object?.spec?.signerName ?? '';

/**
 * Refuses a write to who may not do this for a signer, by its name or by `domain/*`.
 * @param what of the refusal: `approve requests with`
 * @throws StatusError 403, also where it cannot be told whether they may
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

/** Whoever cannot be asked allows nothing. */
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
