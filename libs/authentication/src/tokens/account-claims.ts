import type { Names } from '@orch/machinery';
import { serviceAccountGroups, serviceAccountUser } from '../service-account-name.js';
import { type Authentication, authenticated } from '../user.js';
import { type BoundObject, type KnownObject, LEEWAY_MS, type ObjectName } from './bound-objects.js';
import { isObject } from './signed-token.js';

/** The last time that a Date can hold, ms. */
const LAST_MS = 8.64e15;

/** A service account, and the objects that a token of it is bound to. */
export interface AccountReference {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
}

/** An object by its name and uid. */
interface ObjectReference {
  readonly name: string;
  readonly uid: string;
}

/** A verified token with its claims. Times in milliseconds since the epoch. */
export interface VerifiedToken {
  readonly subject: string;
  /** Audiences; empty means the API itself. */
  readonly audiences: readonly string[];
  readonly expiresAt: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  /** Time from which on users of the token should have renewed it. */
  readonly warnAfter: number | undefined;
  /** User of the token, while the objects that it is bound to are valid. */
  readonly authentication: Authentication & { readonly boundTo: readonly BoundObject[] };
}

/** Name of the claim with Kubernetes's own data. */
export const privateClaimOf = (names: Names): string => names.key('orch.io/').slice(0, -1);

/** Issuer of tokens in Secrets. */
export const legacyIssuerOf = (names: Names): string => `${names.product}/serviceaccount`;

/** Returns the standard claims: times, audiences and subject. @throws Error when they cannot be read */
export function publicClaims(claims: Readonly<Record<string, unknown>>) {
  const { sub: subject = '', aud = [] } = claims;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  const isList = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (typeof subject !== 'string' || !isList(audiences)) throw malformed();
  const { exp, nbf, iat } = claims;
  return { subject, audiences, expiresAt: timeOf(exp), notBefore: timeOf(nbf), issuedAt: timeOf(iat) };
}

/** Returns the claims of a token from the TokenRequest API. @throws Error when they cannot be read */
export function accountClaims(claims: Readonly<Record<string, unknown>>, names: Names): VerifiedToken {
  const said = publicClaims(claims);
  const own = claims[privateClaimOf(names)];
  if (!isObject(own)) throw malformed();
  const { namespace, warnafter } = own;
  const [account, pod, secret] = [own.serviceaccount, own.pod, own.secret].map(referenceOf);
  if (typeof namespace !== 'string' || !account) throw malformed();
  const reference = { namespace, account, ...(pod && { pod }), ...(secret && { secret }) };
  const boundTo = bindingsOf(reference);
  const authentication = { ...accountUser(reference, names, said.expiresAt), boundTo };
  return { ...said, warnAfter: timeOf(warnafter) || undefined, authentication };
}

/** Returns the user of an account's token (as pkg/authentication/serviceaccount of k8s.io/apiserver makes users). */
export function accountUser(
  { namespace, account, pod }: AccountReference,
  names: Names,
  expiresAt?: number,
): Authentication {
  const extra = pod && {
    [names.key('authentication.orch.io/pod-name')]: [pod.name],
    [names.key('authentication.orch.io/pod-uid')]: [pod.uid],
  };
  return authenticated(
    {
      name: serviceAccountUser({ namespace, name: account.name }),
      ...(account.uid && { uid: account.uid }),
      groups: serviceAccountGroups(namespace),
      extra: extra ?? {},
    },
    'token',
    expiresAt === undefined ? undefined : expiresAt + LEEWAY_MS,
  );
}

/** Returns why a token is not valid now; undefined if it is. */
export function refusalByTime({ expiresAt, notBefore, issuedAt }: VerifiedToken, now: number): string | undefined {
  if (notBefore !== undefined && now + LEEWAY_MS < notBefore) return 'service account token is not valid yet';
  if (expiresAt !== undefined && now - LEEWAY_MS > expiresAt) return 'service account token has expired';
  if (issuedAt !== undefined && now + LEEWAY_MS < issuedAt) return 'service account token is issued in the future';
  return undefined;
}

/** Order and messages are those of pkg/serviceaccount/claims.go of k8s.io/kubernetes. */
function bindingsOf({ namespace, account, pod, secret }: AccountReference): BoundObject[] {
  const gone = 'service account token has been invalidated';
  const bound = (kind: 'Pod' | 'Secret', reference: ObjectReference): BoundObject => {
    const called = kind.toLowerCase();
    return bindingTo({ kind, namespace, name: reference.name }, reference.uid, {
      missing: gone,
      deleted: gone,
      other: (uid) => `${called} UID (${uid}) does not match service account ${refClaimOf(kind)} (${reference.uid})`,
    });
  };
  const ofAccount = bindingTo({ kind: 'ServiceAccount', namespace, name: account.name }, account.uid, {
    missing: `serviceaccounts ${JSON.stringify(account.name)} not found`,
    deleted: `service account ${namespace}/${account.name} has been deleted`,
    other: (uid) => `service account UID (${uid}) does not match claim (${account.uid})`,
  });
  return [ofAccount, ...(secret ? [bound('Secret', secret)] : []), ...(pod ? [bound('Pod', pod)] : [])];
}

const refClaimOf = (kind: 'Pod' | 'Secret'): string => (kind === 'Pod' ? 'pod ref claim' : 'secret ref claim');

interface Refusals {
  readonly missing: string;
  readonly deleted: string;
  other(uid: string): string;
}

function bindingTo(object: ObjectName, uid: string, { missing, deleted, other }: Refusals): BoundObject {
  return {
    object,
    refusal(found: KnownObject | undefined, now: number) {
      if (!found) return missing;
      if (found.deletedAt !== undefined && found.deletedAt < now - LEEWAY_MS) return deleted;
      return found.uid === uid ? undefined : other(found.uid);
    },
  };
}

function referenceOf(value: unknown): ObjectReference | undefined {
  if (value === undefined || value === null) return undefined;
  const { name = '', uid = '' } = isObject(value) ? value : {};
  if (!isObject(value) || typeof name !== 'string' || typeof uid !== 'string') throw malformed();
  return { name, uid };
}

/** Converts seconds since the epoch (RFC 7519, NumericDate) to milliseconds. */
function timeOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || Math.abs(value * 1000) > LAST_MS) throw malformed();
  return value * 1000;
}

const malformed = () => new Error('service account token claims could not be validated');
