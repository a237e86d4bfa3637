import { EXTENDED_SECONDS, INJECTED_SECONDS, type TokenGrant, type TokenIssuer } from '@orch/authentication';
import { type ApiObject, badRequest, conflict, formatTime, invalid, invalidValue } from '@orch/machinery';
import { DeclaredModel, unknownPath } from '@orch/resources';
import type { BoundObjectReference, TokenRequestSpec } from '@orch/schema/types/authentication/v1';
import type { Pod } from '@orch/schema/types/core/v1';
import { type RequestContext, type ResourceCall, sendApiObject } from '@orch/serving';
import { admitSent, readSent } from '../bodies/sent-object.js';
import type { ApiDeps } from '../deps.js';
import { endpointOf, otherObject } from './other-objects.js';

const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const KIND = 'TokenRequest';

/**
 * POST of `serviceaccounts/<name>/token`: issues a token, where any are issued (as
 * pkg/registry/core/serviceaccount/storage/token.go of k8s.io/kubernetes does).
 * @throws StatusError 400, 404, 409, 422
 */
export async function requestToken(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const { tokenIssuer: issuer } = deps;
  if (!issuer) throw unknownPath();
  const group = deps.names.group('authentication.orch.io');
  const schema = deps.scheme.struct('authentication/v1.TokenRequest');
  const sent = await readSent(deps, ctx, call, new DeclaredModel({ group, version: 'v1', kind: KIND }, schema));
  const now = deps.now();
  const { account, spec } = await admitSent(deps, ctx, call, sent, async ({ metadata, spec }) => {
    refuseOtherName(metadata?.name ?? '', name, group);
    const account = await otherObject(deps, endpoint, namespace, name);
    const asked = specOf(spec as TokenRequestSpec | undefined, issuer);
    const meta = { ...metadata, name, namespace, creationTimestamp: formatTime(now) };
    Object.assign(sent.object, { metadata: meta, spec: asked, status: { token: '', expirationTimestamp: null } });
    refuseLifetime(asked.expirationSeconds, group);
    return { account, spec: asked };
  });
  const bound = spec.boundObjectRef ? await boundObject(deps, call, spec.boundObjectRef) : {};
  const expirationSeconds = withinBound(spec.expirationSeconds, issuer, ctx.warnings);
  const grant = { namespace, account: referenceTo(account), ...bound, audiences: spec.audiences };
  const token = issuer.issue({ ...grant, ...lifetimeOf(grant, expirationSeconds, issuer) }, now);
  await sendApiObject(deps, ctx, 201, schema, {
    ...sent.object,
    spec: { ...spec, expirationSeconds },
    status: { token, expirationTimestamp: formatTime(now + expirationSeconds * 1000) },
  });
}

/** Completes the spec of a TokenRequest with defaults. */
function specOf(spec: TokenRequestSpec | undefined, { audiences: own }: TokenIssuer) {
  const { audiences = [], expirationSeconds = 0, boundObjectRef } = spec ?? {};
  return {
    audiences: audiences.length > 0 ? audiences : [...own],
    expirationSeconds: Number(expirationSeconds),
    boundObjectRef: boundObjectRef ?? null,
  };
}

function withinBound(seconds: number, { maxSeconds = seconds }: TokenIssuer, warnings: string[]): number {
  if (seconds <= maxSeconds) return seconds;
  warnings.push(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`);
  return maxSeconds;
}

/**
 * Returns the actual lifetime of a token; the upper limit does not apply to tokens of pods that do not renew theirs.
 */
function lifetimeOf(
  { pod, audiences }: Pick<TokenGrant, 'pod' | 'audiences'>,
  expirationSeconds: number,
  { extend, audiences: own }: TokenIssuer,
): Pick<TokenGrant, 'expirationSeconds' | 'warnAfterSeconds'> {
  const injected = pod !== undefined && expirationSeconds === INJECTED_SECONDS;
  if (!extend || !injected || !audiences.every((audience) => own.includes(audience))) return { expirationSeconds };
  return { expirationSeconds: EXTENDED_SECONDS, warnAfterSeconds: expirationSeconds };
}

const referenceTo = ({ metadata }: ApiObject) => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' });

function refuseOtherName(named: string, name: string, group: string): void {
  if (named === '' || named === name) return;
  const detail = 'must match the service account name if specified';
  throw invalid(KIND, group, name, [invalidValue('metadata.name', named, detail)]);
}

function refuseLifetime(seconds: number, group: string): void {
  const field = 'spec.expirationSeconds';
  const errors = [
    ...(seconds < LEAST_SECONDS
      ? [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > MOST_SECONDS
      ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
  ];
  if (errors.length > 0) throw invalid(KIND, group, '', errors);
}

/** Tokens are bound to pods and secrets, and go with them. @throws StatusError 400, 404, 409 */
async function boundObject(
  deps: ApiDeps,
  call: ResourceCall,
  ref: BoundObjectReference,
): Promise<Pick<TokenGrant, 'pod' | 'secret'>> {
  const { apiVersion = '', kind = '', name = '', uid = '' } = ref;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  if (group !== '' || (kind !== 'Pod' && kind !== 'Secret'))
    throw badRequest(`cannot bind token to object of type ${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`);
  const endpoint = endpointOf(deps, '', kind === 'Pod' ? 'pods' : 'secrets');
  const object = await otherObject(deps, endpoint, call.namespace, name);
  if (kind === 'Pod' && (object as Pod).spec?.serviceAccountName !== call.name) {
    const account = JSON.stringify(call.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== '' && uid !== object.metadata?.uid) {
    const broken = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, resource: kind }, name, broken);
  }
  return kind === 'Pod' ? { pod: referenceTo(object) } : { secret: referenceTo(object) };
}
