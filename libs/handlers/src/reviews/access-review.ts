import type { UserInfo } from '@orch/authentication';
import type { RequestAttributes } from '@orch/authorization';
import { type ApiObject, type FieldError, invalid, invalidValue, verbatim } from '@orch/machinery';
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReviewSpec,
} from '@orch/schema/types/authorization/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { answerReview, readReview } from './review.js';

/** Whether a user may do something, anywhere. */
export function reviewAccess(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  return review(deps, ctx, call, ({ spec, metadata }) => [...subjectErrors(spec), ...metadataErrors(metadata)]);
}

/** Whether a user may do something in the namespace of the request. */
export function reviewLocalAccess(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  return review(deps, ctx, call, ({ spec, metadata }) => localErrors(spec, metadata, call.namespace));
}

/** Whether the caller itself may do something. */
export function reviewOwnAccess(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  return review(deps, ctx, call, ({ spec, metadata }) => [...attributeErrors(spec), ...metadataErrors(metadata)]);
}

/** A SubjectAccessReview in any of its forms. */
interface AccessReview extends ApiObject {
  spec?: SubjectAccessReviewSpec;
}

async function review(
  deps: ApiDeps,
  ctx: RequestContext,
  call: ResourceCall,
  validate: (review: AccessReview) => FieldError[],
): Promise<void> {
  const { kind, group, resource } = call.endpoint.definition;
  await answerReview(deps, ctx, call, await readReview(deps, ctx, call), (asked: AccessReview) => {
    const errors = validate(asked);
    if (errors.length > 0) throw invalid(kind, group, '', errors);
    const user = resource === 'selfsubjectaccessreviews' ? ctx.user : subjectOf(asked.spec ?? {});
    return async () => ({ status: await decide(ctx, user, attributesOf(asked.spec ?? {})) });
  });
}

async function decide({ access }: RequestContext, user: UserInfo, request: RequestAttributes) {
  try {
    const { decision, reason } = await access.authorizer.authorize(user, request);
    return {
      allowed: decision === 'allow',
      ...(decision === 'deny' && { denied: true }),
      ...(reason !== '' && { reason }),
    };
  } catch (error) {
    return { allowed: false, evaluationError: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the user of a review exactly as sent: no group for authenticated users is added. */
const subjectOf = ({ user = '', uid = '', groups = [], extra = {} }: SubjectAccessReviewSpec): UserInfo => ({
  name: user,
  ...(uid !== '' && { uid }),
  groups,
  extra,
});

const OF_A_PATH = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };

function attributesOf(spec: SelfSubjectAccessReviewSpec): RequestAttributes {
  const { resourceAttributes: of, nonResourceAttributes: path } = spec;
  if (!of) return { ...OF_A_PATH, isResourceRequest: false, verb: path?.verb ?? '', path: path?.path ?? '' };
  const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = of;
  return { isResourceRequest: true, path: '', verb, group, version, resource, subresource, namespace, name };
}

function attributeErrors({
  resourceAttributes,
  nonResourceAttributes,
}: SelfSubjectAccessReviewSpec = {}): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalidValue('spec.nonResourceAttributes', shown(nonResourceAttributes), detail)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, detail)];
}

function subjectErrors(spec: SubjectAccessReviewSpec = {}): FieldError[] {
  const nobody = !spec.user && !spec.groups?.length;
  return [
    ...attributeErrors(spec),
    ...(nobody ? [invalidValue('spec.user', '', 'at least one of user or group must be specified')] : []),
  ];
}

function localErrors(
  spec: SubjectAccessReviewSpec = {},
  metadata: ApiObject['metadata'],
  within: string,
): FieldError[] {
  const { namespace, ...rest } = metadata ?? {};
  const asked = spec.resourceAttributes?.namespace ?? '';
  return [
    ...subjectErrors(spec),
    ...metadataErrors(rest, 'must be empty except for namespace'),
    ...(spec.resourceAttributes && asked !== within
      ? [invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]
      : []),
    ...(spec.nonResourceAttributes
      ? [
          invalidValue(
            'spec.nonResourceAttributes',
            shown(spec.nonResourceAttributes),
            'disallowed on this kind of request',
          ),
        ]
      : []),
  ];
}

/** Validates the metadata of a review: fields that the client sets must be empty, those of the server are ignored. */
function metadataErrors(metadata: ApiObject['metadata'], detail = 'must be empty'): FieldError[] {
  const {
    managedFields: _managedFields,
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...rest
  } = metadata ?? {};
  const isGiven = Object.values(rest).some((value) => value !== '' && value !== null && value !== undefined);
  return isGiven ? [invalidValue('metadata', verbatim(rest), detail)] : [];
}

const shown = (attributes: ResourceAttributes | NonResourceAttributes) => verbatim(attributes);
