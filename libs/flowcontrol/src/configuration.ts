/** Subject of a flow schema: exactly the member that `kind` names is set. */
export interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string } | null;
  readonly group?: { readonly name: string } | null;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | null;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean | null;
  readonly namespaces?: readonly string[] | null;
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface FlowRules {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules?: readonly ResourceRule[] | null;
  readonly nonResourceRules?: readonly NonResourceRule[] | null;
}

/** How requests of one schema are divided into flows; undefined for not at all: all of them are one flow. */
export type Distinguisher = 'ByUser' | 'ByNamespace' | undefined;

/** Which requests go to which priority level: a FlowSchema. */
export interface FlowSchema {
  /** Name of the object; it has no namespace. */
  readonly name: string;
  /** '' for one that is not stored. */
  readonly uid: string;
  /** Precedence: of matching schemas the lowest wins, then the name. */
  readonly precedence: number;
  /** Name of the level that its requests go to; one that is not there makes the schema count for nothing. */
  readonly priorityLevel: string;
  /** Divides its requests into flows. */
  readonly distinguisher: Distinguisher;
  /** A request belongs to it that fits one of them. */
  readonly rules: readonly FlowRules[];
}

/** Queues for requests when all seats are taken. */
export interface Queuing {
  readonly queues: number;
  /** Queues among which the requests of one flow choose. */
  readonly handSize: number;
  /** Requests in one queue. */
  readonly queueLengthLimit: number;
}

export interface LimitedLevel {
  /** Its part of all seats, beside the parts of the others. */
  readonly shares: number;
  /** Percent of its seats that others may use while it does not. */
  readonly lendablePercent: number;
  /** Percent of its seats that it may use of others; undefined for no limit. */
  readonly borrowingLimitPercent: number | undefined;
  /** undefined where what finds no seat is refused at once. */
  readonly queuing: Queuing | undefined;
}

/** How many requests of a level are carried out at a time: a PriorityLevelConfiguration. */
export interface PriorityLevel {
  /** Name of the object; it has no namespace. */
  readonly name: string;
  /** '' for one that is not stored. */
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
  /** Whether it is about a resource; of what is not, only verb and path count. */
  readonly isResourceRequest: boolean;
  /** '' for the core group. */
  readonly group: string;
  /** The plural, as in paths; '' for a path. */
  readonly resource: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** '' for what lies in none. */
  readonly namespace: string;
  /** Without the query. */
  readonly path: string;
}
