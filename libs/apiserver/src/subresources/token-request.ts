import { badRequest, conflict, invalid, invalidValue } from '@orch/machinery';
import type { BoundObjectReference, TokenRequestSpec } from '@orch/schema/types/authentication/v1';
import type { Pod } from '@orch/schema/types/core/v1';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { unknownPath } from '../http/errors.js';
import { DeclaredModel } from '../served/object-model.js';
import { admitSent, readSent } from '../writing/sent-object.js';
import { endpointOf, otherObject } from './other-objects.js';

const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const KIND = 'TokenRequest';

/**
 * POST of `serviceaccounts/<name>/token`. Everything that is asked for is judged; but nobody issues tokens, and then there is
 * no such path.
 * @throws StatusError 400, 404, 409, 422 for what cannot be had; 404 for everything else
 */
export async function requestToken(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const group = deps.names.group('authentication.orch.io');
  const schema = deps.scheme.struct('authentication/v1.TokenRequest');
  const sent = await readSent(deps, ctx, call, new DeclaredModel({ group, version: 'v1', kind: KIND }, schema));
  const boundObjectRef = await admitSent(deps, ctx, call, sent, async ({ metadata, spec }) => {
    refuseOtherName(metadata?.name ?? '', name, group);
    await otherObject(deps, endpoint, namespace, name);
    const { expirationSeconds, boundObjectRef: ref } = (spec ?? {}) as TokenRequestSpec;
    refuseLifetime(expirationSeconds ?? 0, group);
    return ref;
  });
  if (boundObjectRef) await refuseBinding(deps, call, boundObjectRef);
  throw unknownPath();
}

function refuseOtherName(named: string, name: string, group: string): void {
  if (named === '' || named === name) return;
  const detail = 'must match the service account name if specified';
  throw invalid(KIND, group, name, [invalidValue('metadata.name', named, detail)]);
}

function refuseLifetime(seconds: number | bigint, group: string): void {
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
async function refuseBinding(deps: ApiDeps, call: ResourceCall, ref: BoundObjectReference): Promise<void> {
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
  if (uid === '' || uid === object.metadata?.uid) return;
  const broken = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group, resource: kind }, name, broken);
}
