/** The two sets of product names that an installation can be made with. */
export type NamingProfile = 'orch' | 'kubernetes';

/**
 * Every identifier that contains the product's name, for one profile; made once at start-up. Declarations in `proto/`
 * and code elsewhere use the `orch` names (`apps`, `rbac.authorization.orch.io`, `orch.io/os`) and pass them through
 * {@link Names.group} and {@link Names.key}.
 */
export interface Names {
  /** Which of the two sets this is (`--naming`). */
  readonly profile: NamingProfile;
  /** The profile's form of a group declared in `orch` names: `storage.orch.io` becomes `storage.k8s.io`. */
  group(canonical: string): string;
  /** The profile's form of a label, annotation, taint, finalizer or signer key: `orch.io/os` becomes `kubernetes.io/os`. */
  key(canonical: string): string;
  /** Media type of the binary form: `application/vnd.kubernetes.protobuf`. */
  readonly protobufMediaType: string;
  /** Group of kinds that belong to no API, such as `Table` and the options of requests: `meta.k8s.io`. */
  readonly metaGroup: string;
  /** The product's own name: `kubernetes`. It is also the finalizer that a namespace has until it is empty. */
  readonly product: string;
  /** Name of the Service of the API itself, in `default`. */
  readonly apiServiceName: string;
  /** Annotation of the bookmark that ends the initial events of a streamed list. */
  readonly initialEventsEnd: string;
  /** OpenAPI extension prefix; the same in both profiles. */
  readonly extensionPrefix: 'x-kubernetes-';
}

const SIGNERS: Readonly<Record<string, string>> = {
  'orch.io/apiserver-client': 'kubernetes.io/kube-apiserver-client',
};

const ORCH: Names = {
  profile: 'orch',
  group: (canonical) => canonical,
  key: (canonical) => canonical,
  protobufMediaType: 'application/vnd.orch.protobuf',
  metaGroup: 'meta.orch.io',
  product: 'orch',
  apiServiceName: 'orch',
  initialEventsEnd: 'orch.io/initial-events-end',
  extensionPrefix: 'x-kubernetes-',
};

const KUBERNETES: Names = {
  profile: 'kubernetes',
  group: (canonical) => canonical.replace(/(^|\.)orch\.io$/, '$1k8s.io'),
  key: (canonical) => SIGNERS[canonical] ?? canonical.replace(/(^|\.)orch\.io\//, '$1kubernetes.io/'),
  protobufMediaType: 'application/vnd.kubernetes.protobuf',
  metaGroup: 'meta.k8s.io',
  product: 'kubernetes',
  apiServiceName: 'kubernetes',
  initialEventsEnd: 'k8s.io/initial-events-end',
  extensionPrefix: 'x-kubernetes-',
};

/** The names of a profile. */
export function namesOf(profile: NamingProfile): Names {
  return profile === 'kubernetes' ? KUBERNETES : ORCH;
}
