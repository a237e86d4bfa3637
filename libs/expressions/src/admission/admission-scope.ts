import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from '../libraries/authorization.js';
import type { Scope } from '../types/declarations.js';
import { BOOL, DYN, listOf, mapOf, objectOf, STRING, type Type } from '../types/type.js';

const KIND = 'kubernetes.GroupVersionKind';
const RESOURCE = 'kubernetes.GroupVersionResource';
const USER = 'kubernetes.UserInfo';
const REQUEST = 'kubernetes.AdmissionRequest';

/** What expressions know of a request (k8s.io/apiserver, pkg/admission/plugin/cel/compile.go): neither its uid nor the objects. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  [KIND]: { group: STRING, version: STRING, kind: STRING },
  [RESOURCE]: { group: STRING, version: STRING, resource: STRING },
  [USER]: { username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) },
  [REQUEST]: {
    kind: objectOf(KIND),
    resource: objectOf(RESOURCE),
    subResource: STRING,
    requestKind: objectOf(KIND),
    requestResource: objectOf(RESOURCE),
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: objectOf(USER),
    dryRun: BOOL,
    options: DYN,
  },
};

/** Name of the variable that asks about the resource of the request. */
export const REQUEST_RESOURCE_VARIABLE = 'authorizer.requestResource';

/** Which variables expressions have beside `object`, `oldObject` and `request`. */
export interface AdmissionVariables {
  /** `params`, of a policy that has a kind of them. */
  readonly params?: boolean;
  /** `authorizer` and `authorizer.requestResource`. Default true. */
  readonly authorizer?: boolean;
}

/** What expressions about a write may name: those of webhooks and of policies. */
export function admissionScope({ params = false, authorizer = true }: AdmissionVariables = {}): Scope {
  const variables = new Map<string, Type>([
    ['object', DYN],
    ['oldObject', DYN],
    ['request', objectOf(REQUEST)],
  ]);
  if (params) variables.set('params', DYN);
  if (authorizer) variables.set('authorizer', AUTHORIZER_TYPE).set(REQUEST_RESOURCE_VARIABLE, RESOURCE_CHECK_TYPE);
  return {
    variables,
    fieldType: (object, field) => {
      const fields = FIELDS[object];
      return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
    },
    hasType: (object) => Object.hasOwn(FIELDS, object),
  };
}
