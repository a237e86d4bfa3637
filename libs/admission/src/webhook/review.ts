import type { ApiObject, GroupVersionKind, JsonObject, JsonValue, Names } from '@orch/machinery';
import type { Attributes, Operation, OperationOptions } from '../attributes.js';
import type { SentAs } from '../matching/match.js';
import type { ResourceVersion } from '../matching/rules.js';
import { patchBytes } from './patch-bytes.js';

/** Supported versions of reviews, as webhooks name them. */
export type ReviewVersion = 'v1' | 'v1beta1';

const isKnown = (version: string): version is ReviewVersion => version === 'v1' || version === 'v1beta1';

/** Returns the first version that both sides support. @throws Error if there is none */
export function reviewVersion(accepted: readonly string[]): ReviewVersion {
  const found = accepted.find(isKnown);
  if (found) return found;
  throw new Error('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
}

/** Returns the group of reviews in this installation. */
const groupOf = (names: Names): string => names.group('admission.orch.io');

/** Returns the request without its objects, as webhooks and expressions see it. */
export function requestOf(attributes: Attributes, sentAs: SentAs, own: SentAs, names: Names): JsonObject {
  const { subresource, name, namespace, operation, user, options } = attributes;
  const { uid = '', groups, extra } = user;
  return {
    kind: kindOf(sentAs.kind),
    resource: resourceOf(sentAs.resource),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(own.kind),
    requestResource: resourceOf(own.resource),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(Object.keys(extra).length > 0 && {
        extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
      }),
    },
    dryRun: options.dryRun,
    ...(operation !== 'CONNECT' && { options: optionsOf(operation, options, names) }),
  };
}

const kindOf = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });
const resourceOf = ({ group, version, resource }: ResourceVersion) => ({ group, version, resource });

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** Returns the options of the request for its operation: a patch has those of an update. */
function optionsOf(operation: Operation, options: OperationOptions, names: Names): JsonObject {
  const { dryRun, fieldManager, fieldValidation, gracePeriodSeconds, propagationPolicy } = options;
  const stated =
    operation === 'DELETE'
      ? {
          ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
          ...(propagationPolicy && { propagationPolicy }),
        }
      : { ...(fieldManager && { fieldManager }), ...(fieldValidation && { fieldValidation }) };
  const apiVersion = `${names.metaGroup}/v1`;
  return { kind: OPTIONS[operation], apiVersion, ...(dryRun && { dryRun: ['All'] }), ...stated };
}

/** Returns the review that is sent to a webhook. */
export function reviewOf(
  version: ReviewVersion,
  names: Names,
  uid: string,
  request: JsonObject,
  { object, oldObject }: { readonly object: ApiObject | undefined; readonly oldObject: ApiObject | undefined },
): JsonObject {
  const { dryRun, options, ...about } = request;
  return {
    kind: 'AdmissionReview',
    apiVersion: `${groupOf(names)}/${version}`,
    request: {
      uid,
      ...about,
      object: (object ?? null) as JsonValue,
      oldObject: (oldObject ?? null) as JsonValue,
      dryRun: dryRun ?? false,
      options: options ?? null,
    },
  };
}

/**
 * Most warnings and annotations of an answer that are used, and most characters of one: clients get less than that
 * anyway.
 */
const MOST_TEXTS = 100;
const LONGEST_TEXT = 16 << 10;

/** Verified answer of a webhook. */
export interface Answer {
  /** Whether the request is allowed. */
  readonly allowed: boolean;
  /** Status of a denial, as it was received. */
  readonly status: JsonObject | undefined;
  /** Patch document of a mutating webhook; empty for none. */
  readonly patch: Buffer;
  /** Type of the patch; '' for none. */
  readonly patchType: string;
  /** Warnings for the client. */
  readonly warnings: readonly string[];
  /** Annotations for the audit event, by key without the name of the webhook. */
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Expectations that an answer is verified against. */
interface Expected {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly mutating: boolean;
  readonly names: Names;
}

/**
 * Reads and verifies an answer (k8s.io/apiserver, pkg/admission/plugin/webhook/request); version v1beta1 has fewer
 * requirements.
 * @throws UnreadableAnswer for a patch that is not base64; Error in the words of the reference for an answer that does
 * not match the request
 */
export function verifiedAnswer(review: JsonValue, expected: Expected): Answer {
  const { version, uid, mutating, names } = expected;
  const { response, ...type } = objectOf(review, 'review');
  if (response === undefined || response === null) throw new Error('webhook response was absent');
  const stated = objectOf(response, 'response');
  const patch = patchBytes(textOf(stated, 'patch'));
  const patchType = stated.patchType === null ? undefined : optionalText(stated, 'patchType');
  if (version === 'v1') {
    const found = textOf(stated, 'uid');
    if (found !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`);
    checkType(type, `${groupOf(names)}/v1`);
    checkPatch(mutating, patch, patchType);
  }
  const pinned = version === 'v1' ? (patchType ?? '') : patch.length === 0 ? '' : 'JSONPatch';
  return {
    allowed: stated.allowed === true,
    status: stated.status === undefined || stated.status === null ? undefined : objectOf(stated.status, 'status'),
    patch: mutating ? patch : Buffer.alloc(0),
    patchType: mutating ? pinned : '',
    warnings: textsOf(stated.warnings),
    auditAnnotations: notesOf(objectOf(stated.auditAnnotations ?? {}, 'auditAnnotations')),
  };
}

function checkType(type: JsonObject, apiVersion: string): void {
  const [found, kind] = [textOf(type, 'apiVersion'), textOf(type, 'kind')];
  if (found === apiVersion && kind === 'AdmissionReview') return;
  const named = found.includes('/') || found === '' ? found : `/${found}`;
  throw new Error(
    `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${named || '/'}, Kind=${kind}`,
  );
}

function checkPatch(mutating: boolean, { length }: Buffer, patchType: string | undefined): void {
  if (!mutating) {
    if (length > 0) throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (length > 0 && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (length === 0 && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
}

function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error(`${what} is not an object`);
}

function optionalText(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`${name} is not a string`);
}

const textOf = (object: JsonObject, name: string): string =>
  object[name] === null ? '' : (optionalText(object, name) ?? '');

const cut = (text: string): string => text.slice(0, LONGEST_TEXT);

const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value)
    ? value
        .filter((each): each is string => typeof each === 'string')
        .slice(0, MOST_TEXTS)
        .map(cut)
    : [];

function notesOf(stated: JsonObject): Readonly<Record<string, string>> {
  const notes = Object.entries(stated).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(notes.slice(0, MOST_TEXTS).map(([key, text]) => [key, cut(text)]));
}
