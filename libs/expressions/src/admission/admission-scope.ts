import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from '../libraries/authorization.js';
import type { Scope } from '../types/declarations.js';
import { BOOL, type CelType, DYN, INT, listOf, mapOf, objectOf, STRING } from '../types/type.js';

const KIND = 'kubernetes.GroupVersionKind';
const RESOURCE = 'kubernetes.GroupVersionResource';
const USER = 'kubernetes.UserInfo';
const REQUEST = 'kubernetes.AdmissionRequest';
const NAMESPACE = 'kubernetes.Namespace';
const NAMESPACE_META = 'kubernetes.NamespaceMetadata';
const NAMESPACE_SPEC = 'kubernetes.NamespaceSpec';
const NAMESPACE_STATUS = 'kubernetes.NamespaceStatus';

/** Fields of a request (k8s.io/apiserver, pkg/admission/plugin/cel/compile.go): neither its uid nor the objects. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
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
  [NAMESPACE]: {
    metadata: objectOf(NAMESPACE_META),
    spec: objectOf(NAMESPACE_SPEC),
    status: objectOf(NAMESPACE_STATUS),
  },
  [NAMESPACE_META]: {
    name: STRING,
    generateName: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    uid: STRING,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  },
  [NAMESPACE_SPEC]: { finalizers: listOf(STRING) },
  [NAMESPACE_STATUS]: { phase: STRING },
};

/** Name of the variable for authorization checks of the request's resource. */
export const REQUEST_RESOURCE_VARIABLE = 'authorizer.requestResource';

/** Name of the variable that is the request's namespace, null for cluster-scoped resources. */
export const NAMESPACE_VARIABLE = 'namespaceObject';

/** Variables of expressions beside `object`, `oldObject` and `request`. */
export interface AdmissionVariables {
  /** `params`, of a policy that has a kind of them. */
  readonly params?: boolean;
  /** `authorizer` and `authorizer.requestResource`. Default true. */
  readonly authorizer?: boolean;
  /** {@link NAMESPACE_VARIABLE}, new after release 1.27. Default false. */
  readonly namespace?: boolean;
}

/** Returns the variables of expressions about a write: those of webhooks and of policies. */
export function admissionScope({
  params = false,
  authorizer = true,
  namespace = false,
}: AdmissionVariables = {}): Scope {
  const variables = new Map<string, CelType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['request', objectOf(REQUEST)],
  ]);
  if (params) variables.set('params', DYN);
  if (namespace) variables.set(NAMESPACE_VARIABLE, objectOf(NAMESPACE));
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
