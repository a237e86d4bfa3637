/** Declaration of a feature that can be turned on or off. */
interface Feature {
  /** Maturity (spec: "Feature gate life cycle"). */
  readonly stage: 'alpha' | 'beta' | 'ga' | 'deprecated';
  /** Whether it is on by default. */
  readonly default: boolean;
  /** Description for the page of all gates: fields in backquotes, no full stop. */
  readonly about: string;
}

const off = (stage: 'alpha' | 'beta', about: string) => ({ stage, default: false, about }) as const;
const on = (about: string) => ({ stage: 'beta', default: true, about }) as const;
const settled = (about: string) => ({ stage: 'ga', default: true, about }) as const;

/**
 * The gates of this release (spec: "Selected feature gates") that have an effect here, or that are settled. A gate that
 * the reference system of this release has locked is locked here as well.
 */
export const FEATURES = {
  APIListChunking: on('`limit` and `continue` of lists'),
  APIPriorityAndFairness: on('requests are queued, with fairness among users, instead of being refused at once'),
  APIResponseCompression: on('large answers to gets and lists are compressed'),
  APISelfSubjectReview: on('`selfsubjectreviews` of `v1alpha1` and `v1beta1`, where these versions are served'),
  AdmissionWebhookMatchConditions: off('alpha', '`matchConditions` of webhooks'),
  AggregatedDiscoveryEndpoint: on('`/api` and `/apis` as one `APIGroupDiscoveryList` each'),
  AnyVolumeDataSource: on('`dataSourceRef` of claims: kinds of any group'),
  AppArmor: on('annotations that name profiles of AppArmor'),
  CRDValidationRatcheting: on('an update may keep invalid values of a custom resource that it does not change'),
  CSINodeExpandSecret: on('`csi.nodeExpandSecretRef` of persistent volumes'),
  CSIStorageCapacity: settled('storage capacity, as reported by drivers'),
  ClusterTrustBundle: off('alpha', '`clustertrustbundles`, where `certificates.*/v1alpha1` is served'),
  CronJobTimeZone: settled('`timeZone` of CronJobs'),
  CrossNamespaceVolumeDataSource: off('alpha', '`dataSourceRef.namespace` of claims'),
  CustomResourceFieldSelectors: on('`selectableFields` of definitions: field selectors of custom resources'),
  CustomResourceValidationExpressions: on('`x-kubernetes-validations` in schemas of definitions'),
  DownwardAPIHugePages: settled('huge pages in `resourceFieldRef`'),
  DryRun: settled('`dryRun` of writes'),
  DynamicResourceAllocation: off('alpha', '`resourceClaims` of pods, and `resources.claims` of their containers'),
  EfficientWatchResumption: settled('watches resume from bookmarks, whichever server answers'),
  ElasticIndexedJob: on('`completions` of indexed Jobs may follow their `parallelism`'),
  EndpointSliceTerminatingCondition: settled('conditions `serving` and `terminating` of endpoints'),
  ExpandedDNSConfig: on('up to 32 DNS search paths of pods with 2048 characters, instead of 6 with 256'),
  GRPCContainerProbe: settled('`grpc` probes'),
  HPAContainerMetrics: on('`containerResource` metrics of autoscalers'),
  HPAScaleToZero: off('alpha', '`minReplicas: 0` of autoscalers'),
  InPlacePodVerticalScaling: off(
    'alpha',
    '`resizePolicy` of containers, changes of CPU and memory in a running pod, and their members in the status',
  ),
  JobMutableNodeSchedulingDirectives: settled('a suspended Job may change where its pods may run'),
  JobPodFailurePolicy: on('`podFailurePolicy` of Jobs'),
  JobTrackingWithFinalizers: settled('Jobs follow their pods by finalizers'),
  LaterExpressions: on(
    'what releases after 1.27 have for rules of definitions and expressions about writes: functions and syntax; of rules also `reason`, `fieldPath`, `optionalOldSelf`; of admission policies `variables`, `paramRef.selector`, `parameterNotFoundAction`, and the versions `v1beta1` and `v1`, where they are served',
  ),
  MatchLabelKeysInPodTopologySpread: on('`matchLabelKeys` of topology spread'),
  MaxUnavailableStatefulSet: off('alpha', '`rollingUpdate.maxUnavailable` of StatefulSets'),
  MinDomainsInPodTopologySpread: on('`minDomains` of topology spread'),
  MixedProtocolLBService: settled('load balancers with ports of several protocols'),
  NodeInclusionPolicyInPodTopologySpread: on('`nodeAffinityPolicy` and `nodeTaintsPolicy` of topology spread'),
  OpenAPIV3: settled('`/openapi/v3`'),
  PDBUnhealthyPodEvictionPolicy: on('`unhealthyPodEvictionPolicy` of budgets'),
  PodDeletionCost: on('the annotation for the cost of a pod’s deletion must be a number'),
  PodDisruptionConditions: on('an evicted pod gets the condition `DisruptionTarget`'),
  PodSchedulingReadiness: on('`schedulingGates` of pods'),
  PortForwardWebsockets: off('alpha', '`portforward` by WebSockets that carry SPDY/3.1, of later releases'),
  ProbeTerminationGracePeriod: on('`terminationGracePeriodSeconds` of liveness and startup probes'),
  ProcMountType: off('alpha', '`securityContext.procMount` of containers, other than `Default`'),
  ReadWriteOncePod: on('access mode `ReadWriteOncePod`'),
  RecoverVolumeExpansionFailure: off('alpha', 'smaller requests of claims; `allocatedResources`, `resizeStatus`'),
  RemainingItemCount: on('pages of lists say how many items remain'),
  RemoveSelfLink: settled('`metadata.selfLink` is never set'),
  RetroactiveDefaultStorageClass: on('a claim without a class may be given one later'),
  SELinuxMountReadWriteOncePod: off('beta', '`seLinuxMount` of CSI drivers'),
  SecurityContextDeny: off('alpha', 'the admission plugin of that name, which is deprecated'),
  ServerSideApply: settled('apply, and `metadata.managedFields`'),
  ServerSideFieldValidation: settled('`fieldValidation` of writes'),
  ServiceInternalTrafficPolicy: settled('`internalTrafficPolicy` of services'),
  StatefulSetAutoDeletePVC: on('`persistentVolumeClaimRetentionPolicy` of StatefulSets'),
  StatefulSetStartOrdinal: on('`ordinals` of StatefulSets'),
  TopologyAwareHints: on('`hints` of endpoints in slices'),
  TranslateStreamCloseWebsocketRequests: off('alpha', '`exec` and `attach` by `v5.channel.k8s.io`, of later releases'),
  UserNamespacesStatelessPodsSupport: off('alpha', '`hostUsers` of pods'),
  ValidatingAdmissionPolicy: off(
    'alpha',
    'the admission plugin of that name: `validatingadmissionpolicies` and their bindings are enforced, in all served versions',
  ),
  WatchBookmark: settled('bookmarks in watches'),
  WatchList: off('alpha', '`sendInitialEvents` of watches'),
  WindowsHostProcessContainers: settled('`hostProcess` containers'),
} as const satisfies Readonly<Record<string, Feature>>;

/** A gate that code may check. */
export type FeatureName = keyof typeof FEATURES;

/** State of the features; fixed at start-up. */
export interface Features {
  /** Whether the feature is on. */
  enabled(name: FeatureName): boolean;
}

/** Features without any configuration. */
export const DEFAULT_FEATURES: Features = { enabled: (name) => FEATURES[name].default };
