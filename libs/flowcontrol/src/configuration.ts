/** Subject of a flow schema: exactly the member that `kind` names is set. */
export interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string } | null;
  readonly group?: { readonly name: string } | null;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | null;
}

/** Matches requests for resources; `*` in a list matches everything. */
export interface ResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean | null;
  readonly namespaces?: readonly string[] | null;
}

/** Matches requests for paths that are no resources. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Matches requests by their subject and by one of the rules. */
export interface FlowRules {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules?: readonly ResourcePolicyRule[] | null;
  readonly nonResourceRules?: readonly NonResourceRule[] | null;
}

/** How requests of one schema are divided into flows; undefined for not at all: all of them are one flow. */
export type Distinguisher = 'ByUser' | 'ByNamespace' | undefined;

/** Which requests go to which priority level: a FlowSchema. */
export interface FlowSchema {
  /** Name of the object; it has no namespace. */
  readonly name: string;
  /** '' for a built-in one. */
  readonly uid: string;
  /** Precedence: of matching schemas the lowest wins, then the name. */
  readonly precedence: number;
  /** Name of the level that its requests go to; if that does not exist the schema is ignored. */
  readonly priorityLevel: string;
  /** Divides its requests into flows. */
  readonly distinguisher: Distinguisher;
  /** Rules, of which a request must match one. */
  readonly rules: readonly FlowRules[];
}

/** Queues for requests when all seats are taken. */
export interface Queuing {
  readonly queues: number;
  /** Number of queues that the requests of one flow choose from. */
  readonly handSize: number;
  /** Maximum number of requests in a queue. */
  readonly queueLengthLimit: number;
}

/** Settings of a priority level with a limited number of seats. */
export interface LimitedLevel {
  /** Its share of all seats, relative to other levels. */
  readonly shares: number;
  /** Percentage of its seats that others may borrow. */
  readonly lendablePercent: number;
  /** Percentage of its seats that it may borrow from others; undefined for no limit. */
  readonly borrowingLimitPercent: number | undefined;
  /** Undefined if requests without a seat are refused at once. */
  readonly queuing: Queuing | undefined;
}

/** Number of requests of a level that execute at a time: a PriorityLevelConfiguration. */
export interface PriorityLevel {
  /** Name of the object; it has no namespace. */
  readonly name: string;
  /** '' for a built-in one. */
  readonly uid: string;
  /** undefined for a level whose requests never wait. */
  readonly limited: LimitedLevel | undefined;
}

/** User of a request. */
export interface FlowUser {
  /** Name, as authenticated or impersonated. */
  readonly name: string;
  /** Groups of the user. */
  readonly groups: readonly string[];
}

/** The parts of a request that determine its flow. */
export interface FlowRequest {
  /** `get`, `list`, `create`, … for resources; for paths the HTTP method in lower case. */
  readonly verb: string;
  /** Whether it is about a resource; for other requests only verb and path matter. */
  readonly isResourceRequest: boolean;
  /** '' for the core group. */
  readonly group: string;
  /** The plural, as in paths; '' for a path. */
  readonly resource: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  /** Without the query. */
  readonly path: string;
}
