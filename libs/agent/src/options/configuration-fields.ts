import { isObject, type JsonValue } from '@orch/machinery';
import type { agentDefinitions } from './agent-options.js';

/** A form of a field's value, and how the value is written on the command line: a text for each use of the option. */
export type FieldForm = 'scalar' | 'list' | 'map' | 'path' | 'headers' | 'thresholds' | 'taints' | 'memory';

/** A field of a KubeletConfiguration and the option that it sets. */
interface ConfigurationField {
  /** Option without its dashes. */
  readonly option: keyof typeof agentDefinitions;
  /** Form of the value. Default: a scalar. */
  readonly form?: FieldForm;
}

const field = (option: ConfigurationField['option'], form: FieldForm = 'scalar'): ConfigurationField => ({
  option,
  form,
});

/** Fields by their path, in the order of the reference's type. */
export const CONFIGURATION_FIELDS: ReadonlyMap<string, ConfigurationField> = new Map([
  ['enableServer', field('enable-server')],
  ['staticPodPath', field('pod-manifest-path', 'path')],
  ['syncFrequency', field('sync-frequency')],
  ['fileCheckFrequency', field('file-check-frequency')],
  ['httpCheckFrequency', field('http-check-frequency')],
  ['staticPodURL', field('manifest-url')],
  ['staticPodURLHeader', field('manifest-url-header', 'headers')],
  ['address', field('address')],
  ['port', field('port')],
  ['tlsCertFile', field('tls-cert-file', 'path')],
  ['tlsPrivateKeyFile', field('tls-private-key-file', 'path')],
  ['rotateCertificates', field('rotate-certificates')],
  ['serverTLSBootstrap', field('rotate-server-certificates')],
  ['authentication.x509.clientCAFile', field('client-ca-file', 'path')],
  ['authentication.webhook.enabled', field('authentication-token-webhook')],
  ['authentication.webhook.cacheTTL', field('authentication-token-webhook-cache-ttl')],
  ['authentication.anonymous.enabled', field('anonymous-auth')],
  ['authorization.mode', field('authorization-mode')],
  ['authorization.webhook.cacheAuthorizedTTL', field('authorization-webhook-cache-authorized-ttl')],
  ['authorization.webhook.cacheUnauthorizedTTL', field('authorization-webhook-cache-unauthorized-ttl')],
  ['registryPullQPS', field('registry-qps')],
  ['registryBurst', field('registry-burst')],
  ['eventRecordQPS', field('event-qps')],
  ['eventBurst', field('event-burst')],
  ['enableDebuggingHandlers', field('enable-debugging-handlers')],
  ['healthzPort', field('healthz-port')],
  ['healthzBindAddress', field('healthz-bind-address')],
  ['oomScoreAdj', field('oom-score-adj')],
  ['clusterDomain', field('cluster-domain')],
  ['clusterDNS', field('cluster-dns', 'list')],
  ['streamingConnectionIdleTimeout', field('streaming-connection-idle-timeout')],
  ['nodeStatusUpdateFrequency', field('node-status-update-frequency')],
  ['nodeStatusReportFrequency', field('node-status-report-frequency')],
  ['nodeLeaseDurationSeconds', field('node-lease-duration-seconds')],
  ['imageMinimumGCAge', field('minimum-image-ttl-duration')],
  ['imageGCHighThresholdPercent', field('image-gc-high-threshold')],
  ['imageGCLowThresholdPercent', field('image-gc-low-threshold')],
  ['cgroupRoot', field('cgroup-root')],
  ['cgroupsPerQOS', field('cgroups-per-qos')],
  ['cgroupDriver', field('cgroup-driver')],
  ['cpuManagerPolicy', field('cpu-manager-policy')],
  ['cpuManagerReconcilePeriod', field('cpu-manager-reconcile-period')],
  ['cpuManagerPolicyOptions', field('cpu-manager-policy-options', 'map')],
  ['memoryManagerPolicy', field('memory-manager-policy')],
  ['reservedMemory', field('reserved-memory', 'memory')],
  ['reservedSystemCPUs', field('reserved-cpus')],
  ['runtimeRequestTimeout', field('runtime-request-timeout')],
  ['hairpinMode', field('hairpin-mode')],
  ['maxPods', field('max-pods')],
  ['podPidsLimit', field('pod-max-pids')],
  ['resolvConf', field('resolv-conf', 'path')],
  ['cpuCFSQuota', field('cpu-cfs-quota')],
  ['cpuCFSQuotaPeriod', field('cpu-cfs-quota-period')],
  ['nodeStatusMaxImages', field('node-status-max-images')],
  ['maxOpenFiles', field('max-open-files')],
  ['contentType', field('kube-api-content-type')],
  ['kubeAPIQPS', field('kube-api-qps')],
  ['kubeAPIBurst', field('kube-api-burst')],
  ['serializeImagePulls', field('serialize-image-pulls')],
  ['evictionHard', field('eviction-hard', 'thresholds')],
  ['evictionSoft', field('eviction-soft', 'thresholds')],
  ['evictionSoftGracePeriod', field('eviction-soft-grace-period', 'map')],
  ['evictionPressureTransitionPeriod', field('eviction-pressure-transition-period')],
  ['evictionMaxPodGracePeriod', field('eviction-max-pod-grace-period')],
  ['evictionMinimumReclaim', field('eviction-minimum-reclaim', 'map')],
  ['podsPerCore', field('pods-per-core')],
  ['enableControllerAttachDetach', field('enable-controller-attach-detach')],
  ['makeIPTablesUtilChains', field('make-iptables-util-chains')],
  ['iptablesMasqueradeBit', field('iptables-masquerade-bit')],
  ['iptablesDropBit', field('iptables-drop-bit')],
  ['failSwapOn', field('fail-swap-on')],
  ['containerLogMaxSize', field('container-log-max-size')],
  ['containerLogMaxFiles', field('container-log-max-files')],
  ['systemReserved', field('system-reserved', 'map')],
  ['kubeReserved', field('kube-reserved', 'map')],
  ['systemReservedCgroup', field('system-reserved-cgroup')],
  ['kubeReservedCgroup', field('kube-reserved-cgroup')],
  ['enforceNodeAllocatable', field('enforce-node-allocatable', 'list')],
  ['logging.format', field('logging-format')],
  ['logging.flushFrequency', field('log-flush-frequency')],
  ['logging.verbosity', field('v')],
  ['registerWithTaints', field('register-with-taints', 'taints')],
  ['registerNode', field('register-node')],
  ['localStorageCapacityIsolation', field('local-storage-capacity-isolation')],
  ['containerRuntimeEndpoint', field('container-runtime-endpoint')],
]);

/**
 * Writes a field's value as the option that it sets is written on the command line: one text for each use.
 * @param resolve makes paths absolute, which are relative to the file
 * @throws Error for a value of another form
 */
export function optionTexts(value: JsonValue, form: FieldForm, resolve: (path: string) => string): string[] {
  switch (form) {
    case 'path':
      return [resolve(scalar(value))];
    case 'list':
      return [items(value).map(scalar).join(',')];
    case 'map':
      return [entries(value, '=').join(',')];
    case 'thresholds':
      return [entries(value, '<').join(',')];
    case 'taints':
      return [items(value).map(taint).join(',')];
    case 'memory':
      return items(value).map(reservedMemory);
    case 'headers':
      return Object.entries(members(value)).flatMap(([name, values]) =>
        items(values).map((text) => `${name}:${scalar(text)}`),
      );
    default:
      return [scalar(value)];
  }
}

function scalar(value: JsonValue): string {
  if (typeof value === 'object') throw new Error('must be a single value');
  return String(value);
}

function items(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw new Error('must be a list');
  return value;
}

function members(value: JsonValue): Record<string, JsonValue> {
  if (!isObject(value)) throw new Error('must be an object');
  return value as Record<string, JsonValue>;
}

const entries = (value: JsonValue, between: string): string[] =>
  Object.entries(members(value)).map(([name, entry]) => `${name}${between}${scalar(entry)}`);

function taint(value: JsonValue): string {
  const { key = '', value: text = '', effect = '' } = members(value);
  return `${scalar(key)}=${scalar(text)}:${scalar(effect)}`;
}

function reservedMemory(value: JsonValue): string {
  const { numaNode = '', limits = {} } = members(value);
  return `${scalar(numaNode)}:${entries(limits, '=').join(',')}`;
}
