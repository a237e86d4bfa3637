/**
 * Texts of path elements that have a number in the stored form ({@link packOwners}): the most used first, then every
 * field of the built-in kinds. Rows hold these numbers: none is ever moved or removed. A server of the previous release
 * cannot read a row with a number that it does not know, but it reads names without one: names of further fields get a
 * number only when that release has them all.
 */
const TEXT = String.raw`
. f:metadata f:labels f:annotations f:spec f:status f:template f:containers f:name f:image f:imagePullPolicy
f:resources f:limits f:requests f:cpu f:memory f:ports f:containerPort f:protocol f:env f:value f:valueFrom
f:volumeMounts f:mountPath f:volumes f:securityContext f:selector f:matchLabels f:replicas f:strategy f:type
f:rollingUpdate f:maxSurge f:maxUnavailable f:terminationMessagePath f:terminationMessagePolicy f:dnsPolicy
f:restartPolicy f:schedulerName f:terminationGracePeriodSeconds f:progressDeadlineSeconds f:revisionHistoryLimit
f:data f:conditions f:lastTransitionTime f:lastUpdateTime f:message f:reason f:observedGeneration f:readyReplicas
f:updatedReplicas f:availableReplicas f:port f:targetPort f:livenessProbe f:readinessProbe f:httpGet f:path
f:failureThreshold f:app f:app.kubernetes.io/name f:app.kubernetes.io/instance f:app.kubernetes.io/component
f:app.kubernetes.io/part-of f:app.kubernetes.io/managed-by f:app.kubernetes.io/version f:helm.sh/chart f:tier
f:component f:role f:kubectl.kubernetes.io/last-applied-configuration f:deployment.kubernetes.io/revision
f:kubernetes.io/metadata.name f:pod-template-hash k:{\"type\":\"Available\"} k:{\"type\":\"Progressing\"}
k:{\"type\":\"ReplicaFailure\"} k:{\"type\":\"Ready\"} k:{\"type\":\"Initialized\"} k:{\"type\":\"ContainersReady\"}
k:{\"type\":\"PodScheduled\"} k:{\"type\":\"Complete\"} k:{\"type\":\"Failed\"} k:{\"type\":\"MemoryPressure\"}
k:{\"type\":\"DiskPressure\"} k:{\"type\":\"PIDPressure\"} f:$ref f:$schema f:Allows f:JSONSchemas f:Port f:Property
f:Schema f:acceptedNames f:acceptedTypes f:accessModes f:acquireTime f:action f:active f:activeDeadlineSeconds f:add
f:additionalItems f:additionalPrinterColumns f:additionalProperties f:address f:addressType f:addresses
f:admissionReviewVersions f:affinity f:aggregationRule f:allOf f:allocatable f:allocateLoadBalancerNodePorts
f:allocatedResources f:allocation f:allocationMode f:allowPrivilegeEscalation f:allowVolumeExpansion
f:allowWatchBookmarks f:allowed f:allowedTopologies f:anyOf f:apiGroup f:apiGroups f:apiServerID f:apiVersion
f:apiVersions f:appProtocol f:architecture f:args f:assigned f:assuredConcurrencyShares f:attachError
f:attachRequired f:attached f:attacher f:attachmentMetadata f:audience f:audiences f:auditAnnotations f:auditID
f:authenticated f:automountServiceAccountToken f:availableOnNodes f:averageUtilization f:averageValue
f:awsElasticBlockStore f:azureDisk f:azureFile f:backend f:backoffLimit f:behavior f:binaryData f:blockOwnerDeletion
f:bootID f:borrowingLimitPercent f:boundObjectRef f:caBundle f:cachingMode f:capabilities f:capacity f:categories
f:causes f:cells f:cephfs f:certificate f:chapAuthDiscovery f:chapAuthSession f:cidr f:cinder f:claimName f:claimRef
f:claims f:clientCIDR f:clientConfig f:clientIP f:clusterIP f:clusterIPs f:clusterRoleSelectors f:clusterScope
f:code f:collisionCount f:columnDefinitions f:command f:commonEncodingVersion f:completedIndexes f:completionMode
f:completionTime f:completions f:concurrencyPolicy f:conditionType f:config f:configMap f:configMapKeyRef
f:configMapRef f:configSource f:container f:containerID f:containerName f:containerResource
f:containerRuntimeVersion f:containerStatuses f:continue f:controller f:controllerExpandSecretRef
f:controllerPublishSecretRef f:conversion f:conversionReviewVersions f:convertedObjects f:count f:creationTimestamp
f:csi f:current f:currentCPUUtilizationPercentage f:currentHealthy f:currentMetrics f:currentNumberScheduled
f:currentReplicas f:currentRevision f:daemonEndpoints f:dataSource f:dataSourceRef f:datasetName f:datasetUUID
f:deallocationRequested f:decodableVersions f:default f:defaultBackend f:defaultMode f:defaultRequest f:definitions
f:deleteOptions f:deletionGracePeriodSeconds f:deletionTimestamp f:denied f:dependencies f:deprecated
f:deprecatedCount f:deprecatedFirstTimestamp f:deprecatedLastTimestamp f:deprecatedSource f:deprecatedTopology
f:deprecationWarning f:describedObject f:description f:desiredAPIVersion f:desiredHealthy f:desiredNumberScheduled
f:desiredReplicas f:detachError f:details f:devicePath f:directory f:diskName f:diskURI f:disruptedPods
f:disruptionsAllowed f:distinguisherMethod f:divisor f:dnsConfig f:downwardAPI f:driver f:driverName f:drivers
f:drop f:dryRun f:effect f:egress f:emptyDir f:enableServiceLinks f:encodingVersion f:endPort f:endpoints
f:endpointsNamespace f:enum f:envFrom f:ephemeral f:ephemeralContainerStatuses f:ephemeralContainers f:error
f:evaluationError f:eventTime f:example f:except f:excludeResourceRules f:exclusiveMaximum f:exclusiveMinimum f:exec
f:exitCode f:expectedPods f:expirationSeconds f:expirationTimestamp f:expression f:expressionWarnings f:external
f:externalDocs f:externalID f:externalIPs f:externalName f:externalTrafficPolicy f:extra f:failed
f:failedJobsHistoryLimit f:failurePolicy f:fc f:field f:fieldManager f:fieldPath f:fieldRef f:fieldSelector
f:fieldValidation f:fieldsType f:fieldsV1 f:finalizers f:finishedAt f:firstTimestamp f:flexVolume f:flocker f:follow
f:forZones f:force f:format f:freshness f:from f:fsGroup f:fsGroupChangePolicy f:fsGroupPolicy f:fsType
f:fullyLabeledReplicas f:gateway f:gcePersistentDisk f:generateName f:generation f:gitRepo f:globalDefault
f:glusterfs f:gmsaCredentialSpec f:gmsaCredentialSpecName f:gracePeriodSeconds f:group f:groupPriorityMinimum
f:groupVersion f:groups f:grpc f:handSize f:handler f:hard f:healthCheckNodePort f:hints f:holderIdentity f:host
f:hostAliases f:hostIP f:hostIPC f:hostNetwork f:hostPID f:hostPath f:hostPort f:hostProcess f:hostUsers f:hostname
f:hostnames f:hosts f:http f:httpHeaders f:id f:imageID f:imagePullSecrets f:images f:immutable f:impersonatedUser
f:incomplete f:ingress f:ingressClassName f:initContainerStatuses f:initContainers f:initialDelaySeconds
f:initiatorName f:inlineVolumeSpec f:insecureSkipTLSVerify f:insecureSkipTLSVerifyBackend f:internalTrafficPolicy
f:involvedObject f:ip f:ipBlock f:ipFamilies f:ipFamilyPolicy f:ipv4 f:ipv6 f:iqn f:iscsi f:iscsiInterface f:items
f:jobTemplate f:jsonPath f:kernelVersion f:key f:keyring f:kind f:kubeProxyVersion f:kubeletConfigKey
f:kubeletEndpoint f:kubeletVersion f:labelSelector f:labelSelectorPath f:lastHeartbeatTime f:lastKnownGood
f:lastObservedTime f:lastProbeTime f:lastScaleTime f:lastScheduleTime f:lastState f:lastSuccessfulTime
f:lastTimestamp f:leaseDurationSeconds f:leaseTransitions f:lendablePercent f:level f:lifecycle f:limit f:limitBytes
f:limitResponse f:limited f:listKind f:loadBalancer f:loadBalancerClass f:loadBalancerIP f:loadBalancerSourceRanges
f:local f:localhostProfile f:lun f:machineID f:managedFields f:manager f:manualSelector f:matchConditions
f:matchConstraints f:matchExpressions f:matchFields f:matchLabelExpressions f:matchLabelKeys f:matchPolicy
f:matchResources f:matchingPrecedence f:max f:maxItems f:maxLength f:maxLimitRequestRatio f:maxProperties
f:maxReplicas f:maxSkew f:maximum f:maximumVolumeSize f:medium f:messageExpression f:metric f:metrics f:min
f:minAvailable f:minDomains f:minItems f:minLength f:minProperties f:minReadySeconds f:minReplicas f:minimum f:mode
f:monitors f:mountOptions f:mountPropagation f:multipleOf f:names f:nameservers f:namespace f:namespaceSelector
f:namespaced f:namespaces f:nfs f:nodeAffinity f:nodeAffinityPolicy f:nodeExpandSecretRef f:nodeID f:nodeInfo
f:nodeName f:nodePort f:nodePublishSecretRef f:nodeSelector f:nodeSelectorTerms f:nodeStageSecretRef
f:nodeTaintsPolicy f:nodeTopology f:nominalConcurrencyShares f:nominatedNodeName f:nonResourceAttributes
f:nonResourceRules f:nonResourceURLs f:not f:notReadyAddresses f:note f:nullable f:number f:numberAvailable
f:numberMisscheduled f:numberReady f:numberUnavailable f:object f:objectRef f:objectSelector f:objects f:oldObject
f:omitManagedFields f:omitStages f:onExitCodes f:onPodConditions f:oneOf f:openAPIV3Schema f:operatingSystem
f:operation f:operations f:operator f:optional f:options f:ordinals f:orphanDependents f:os f:osImage f:overhead
f:ownerReferences f:parallelism f:paramKind f:paramRef f:parameters f:parametersRef f:parentRef f:partition f:patch
f:patchType f:pathType f:paths f:pattern f:patternProperties f:paused f:pdID f:pdName f:perNodeHostBits
f:periodSeconds f:persistentVolumeClaim f:persistentVolumeClaimRetentionPolicy f:persistentVolumeName
f:persistentVolumeReclaimPolicy f:phase f:photonPersistentDisk f:plural f:podAffinity f:podAffinityTerm
f:podAntiAffinity f:podCIDR f:podCIDRs f:podFailurePolicy f:podFixed f:podIP f:podIPs f:podInfoOnMount
f:podManagementPolicy f:podSelector f:pods f:policies f:policyName f:policyTypes f:pool f:portals f:portworxVolume
f:postStart f:potentialNodes f:preStop f:preconditions f:preemptionPolicy f:preference
f:preferredDuringSchedulingIgnoredDuringExecution f:preferredVersion f:prefix f:preserveUnknownFields f:previous
f:priority f:priorityClassName f:priorityLevelConfiguration f:privileged f:procMount f:projected f:propagationPolicy
f:properties f:protectionDomain f:providerID f:provisioner f:publishNotReadyAddresses f:qosClass f:queueLengthLimit
f:queues f:queuing f:quobyte f:range f:rbd f:readOnly f:readOnlyRootFilesystem f:readinessGates f:ready
f:reclaimPolicy f:reference f:regarding f:registry f:reinvocationPolicy f:related f:remainingItemCount f:renewTime
f:reportingComponent f:reportingController f:reportingInstance f:repository f:request f:requestKind f:requestObject
f:requestReceivedTimestamp f:requestResource f:requestSubResource f:requestURI f:required
f:requiredDuringSchedulingIgnoredDuringExecution f:requiresRepublish f:reservedFor f:resize f:resizePolicy
f:resizeStatus f:resource f:resourceAttributes f:resourceClaimName f:resourceClaimTemplateName f:resourceClaims
f:resourceClassName f:resourceFieldRef f:resourceHandles f:resourceName f:resourceNames f:resourceRules
f:resourceVersion f:resourceVersionMatch f:response f:responseKind f:responseObject f:responseStatus f:restartCount
f:result f:retryAfterSeconds f:revision f:roleRef f:rows f:rule f:rules f:runAsGroup f:runAsNonRoot f:runAsUser
f:runAsUserName f:running f:runtimeClassName f:scale f:scaleDown f:scaleIO f:scaleTargetRef f:scaleUp f:schedule
f:scheduling f:schedulingGates f:schema f:scheme f:scope f:scopeName f:scopeSelector f:scopes f:seLinuxMount
f:seLinuxOptions f:searches f:seccompProfile f:secret f:secretFile f:secretKeyRef f:secretName f:secretNamespace
f:secretRef f:secrets f:selectPolicy f:selectedNode f:selfLink f:sendInitialEvents f:series f:served f:server
f:serverAddress f:serverAddressByClientCIDRs f:service f:serviceAccount f:serviceAccountName f:serviceAccountToken
f:serviceName f:serving f:sessionAffinity f:sessionAffinityConfig f:setHostnameAsFQDN f:shareName
f:shareProcessNamespace f:shareable f:shortNames f:sideEffects f:signal f:signerName f:sinceSeconds f:sinceTime
f:singular f:singularName f:singularResource f:sizeBytes f:sizeLimit f:source f:sourceIPs f:sources
f:specReplicasPath f:sslEnabled f:stabilizationWindowSeconds f:stage f:stageTimestamp f:start f:startTime f:started
f:startedAt f:startingDeadlineSeconds f:startupProbe f:state f:statusReplicasPath f:stderr f:stdin f:stdinOnce
f:stdout f:storage f:storageCapacity f:storageClassName f:storageMode f:storagePolicyID f:storagePolicyName
f:storagePool f:storageVersionHash f:storageVersions f:storageos f:storedVersions f:stringData f:subPath
f:subPathExpr f:subResource f:subdomain f:subjects f:subresource f:subresources f:subsets f:succeeded
f:successThreshold f:successfulJobsHistoryLimit f:suitableNodes f:supplementalGroups f:suspend f:sysctls f:system
f:systemUUID f:tailLines f:taints f:target f:targetCPUUtilizationPercentage f:targetContainerName f:targetPortal
f:targetRef f:targetWWNs f:tcpSocket f:tenant f:terminated f:terminating f:time f:timeAdded f:timeZone
f:timeoutSeconds f:timestamp f:timestamps f:title f:tls f:to f:token f:tokenRequests f:tolerationSeconds
f:tolerations f:topologyKey f:topologyKeys f:topologySpreadConstraints f:trustBundle f:ttlSecondsAfterFinished f:tty
f:typeChecking f:uid f:unavailableReplicas f:uncountedTerminatedPods f:unhealthyPodEvictionPolicy f:uniqueItems
f:unschedulable f:unsuitableNodes f:updateRevision f:updateStrategy f:updatedNumberScheduled f:url f:usage f:usages
f:used f:user f:userAgent f:userGroups f:userInfo f:username f:users f:validationActions f:validations
f:valueExpression f:values f:verb f:verbs f:version f:versionPriority f:versions f:volume f:volumeAttributes
f:volumeBindingMode f:volumeClaimTemplate f:volumeClaimTemplates f:volumeDevices f:volumeHandle f:volumeID
f:volumeLifecycleModes f:volumeMode f:volumeName f:volumeNamespace f:volumePath f:volumesAttached f:volumesInUse
f:vsphereVolume f:waiting f:warning f:warnings f:watch f:webhook f:webhooks f:weight f:whenDeleted f:whenScaled
f:whenUnsatisfiable f:window f:windowsOptions f:workingDir f:wwids f:x-kubernetes-embedded-resource
f:x-kubernetes-int-or-string f:x-kubernetes-list-map-keys f:x-kubernetes-list-type f:x-kubernetes-map-type
f:x-kubernetes-preserve-unknown-fields f:x-kubernetes-validations f:zone f:variables f:parameterNotFoundAction
`;

/** Names by their number. */
export const NAMES: readonly string[] = TEXT.trim().split(/\s+/);

/** Numbers by name. */
export const CODES: ReadonlyMap<string, number> = new Map(NAMES.map((name, code) => [name, code]));
