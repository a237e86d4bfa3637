import { createHash, timingSafeEqual } from 'node:crypto';
import type { Names } from '@orch/machinery';
import { serviceAccountUser } from '../service-account-name.js';
import { accountUser, publicClaims, type VerifiedToken } from './account-claims.js';
import type { BoundObject, KnownObject } from './bound-objects.js';

/** Whether claims are those of a token in a Secret. */
export const areLegacy = (claims: Readonly<Record<string, unknown>>, names: Names): boolean =>
  claims[claimOf(names, 'namespace')] !== undefined;

/**
 * Returns the claims of a token in a Secret of type `…/service-account-token`. Messages are those of
 * pkg/serviceaccount/legacy.go of k8s.io/kubernetes.
 * @param lookup whether the Secret must still hold it, and the account exist (`--service-account-lookup`)
 * @throws Error for missing claims
 */
export function legacyClaims(
  claims: Readonly<Record<string, unknown>>,
  token: string,
  names: Names,
  lookup: boolean,
): VerifiedToken {
  const said = publicClaims(claims);
  if (said.subject === '') throw new Error('sub claim is missing');
  const text = (claim: string, called: string): string => {
    const value = claims[claimOf(names, claim)];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`${called} claim is missing`);
  };
  const namespace = text('namespace', 'namespace');
  const secret = text('secret.name', 'secretName');
  const name = text('service-account.name', 'serviceAccountName');
  const uid = text('service-account.uid', 'serviceAccountUID');
  if (said.subject !== serviceAccountUser({ namespace, name })) throw new Error('sub claim is invalid');
  const user = accountUser({ namespace, account: { name, uid } }, names, said.expiresAt);
  const boundTo = lookup ? [inSecret(namespace, secret, token), ofAccount(namespace, name, uid)] : [];
  return { ...said, warnAfter: undefined, authentication: { ...user, boundTo } };
}

const claimOf = (names: Names, claim: string): string => names.key(`orch.io/serviceaccount/${claim}`);

function inSecret(namespace: string, name: string, token: string): BoundObject {
  const expected = digestOf(token);
  return {
    object: { kind: 'Secret', namespace, name },
    refusal(found) {
      if (!found || found.deletedAt !== undefined) return 'Token has been invalidated';
      const same = timingSafeEqual(digestOf(found.data?.token ?? ''), expected);
      return same ? undefined : "Token does not match server's copy";
    },
  };
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

function ofAccount(namespace: string, name: string, uid: string): BoundObject {
  return {
    object: { kind: 'ServiceAccount', namespace, name },
    refusal(found: KnownObject | undefined) {
      if (!found) return `serviceaccounts ${JSON.stringify(name)} not found`;
      if (found.deletedAt !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`;
      return found.uid === uid ? undefined : `ServiceAccount UID (${found.uid}) does not match claim (${uid})`;
    },
  };
}
