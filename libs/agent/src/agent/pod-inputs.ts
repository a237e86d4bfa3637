import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Informer } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type { PinnedContainers } from '@orch/node-resources';
import { ContainerMounts, SandboxConfigs } from '@orch/pod-containers';
import {
  type ConfigurationObjects,
  type CpuQuotaSettings,
  cgroupAt,
  containerCgroupValues,
  containerEnvironment,
  type EventSink,
  PodFolders,
  PodTokens,
  PodVolumes,
  podKeyOf,
  ReferencedObjects,
  serviceVariables,
  uidOf,
  VolumeClaims,
} from '@orch/pod-environment';
import type { Pod, Secret, Service } from '@orch/schema/types/core/v1';
import type { RuntimeClass } from '@orch/schema/types/node/v1';
import type { PodAgentSettings } from '../pods/pod-agent.js';
import type { AgentClients, NodeAgentSettings } from './agent-settings.js';
import type { ThisNode } from './this-node.js';

/** Parts of the settings of pods and containers. */
type Inputs = Pick<PodAgentSettings, 'sandboxes' | 'containers' | 'volumes' | 'pullSecrets' | 'removeLogs'>;

/** Everything that pods get from the API and the node: objects, services, volumes, names, resolvers. */
export class PodInputs {
  readonly #objects: ReferencedObjects | undefined;
  readonly #services: Informer<Service & ApiObject> | undefined;
  readonly #tokens: PodTokens | undefined;
  readonly #folders: PodFolders;

  /**
   * @param isStatic whether a pod comes from a file or URL: it does not wait for the API
   * @param pinned CPUs and memory that containers have for themselves
   */
  constructor(
    private readonly settings: NodeAgentSettings,
    private readonly node: ThisNode,
    private readonly events: EventSink,
    private readonly isStatic: (pod: Pod) => boolean,
    private readonly pinned: Pick<PinnedContainers, 'resources'>,
  ) {
    const { clients, clock, logger, options } = settings;
    this.#folders = new PodFolders(options.rootDir);
    if (!clients) return;
    this.#objects = new ReferencedObjects(clients.pods, clock);
    this.#tokens = new PodTokens({ client: clients.pods, clock, logger });
    this.#services = new Informer<Service & ApiObject>(
      clients.pods,
      { group: '', version: 'v1', resource: 'services' },
      { onError: (error) => logger.warn('services cannot be followed', { err: String(error) }) },
    );
  }

  /** How limits of CPU are enforced. */
  get quota(): CpuQuotaSettings {
    const { cpuCfsQuota, cpuCfsQuotaPeriod } = this.settings.options;
    return { enforced: cpuCfsQuota, periodMicros: cpuCfsQuotaPeriod * 1000 };
  }

  /** Begins to follow services. */
  start(): void {
    this.#services?.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#services?.stop();
  }

  /** Returns the settings of pods and containers. */
  inputs(): Inputs {
    const { options, clients, mounter, podLogs = options.podLogsDir } = this.settings;
    const profiles = join(options.rootDir, 'seccomp');
    const cgroups = { root: cgroupAt(options.cgroupRoot), driver: options.cgroupDriver };
    const sandboxes = new SandboxConfigs({
      logs: podLogs,
      profiles,
      dns: () => this.#dns(),
      ...(options.cgroupsPerQos && { cgroups }),
      ...(clients && { handler: (runtimeClass: string) => handlerOf(clients.pods, runtimeClass) }),
      events: this.events,
    });
    return {
      sandboxes,
      containers: {
        mounts: new ContainerMounts(this.#folders, mounter, options.clusterDomain),
        environment: (pod, container, podIPs) => this.#environment(pod, container, podIPs),
        resources: (pod, container) => ({
          ...containerCgroupValues(pod, container, this.quota, this.node.machine.memoryBytes),
          ...this.pinned.resources(uidOf(pod), container.name ?? ''),
        }),
        profiles,
      },
      volumes: this.#volumes(),
      pullSecrets: (pod) => this.#pullSecrets(pod),
      removeLogs: async (pod) => {
        this.#tokens?.forget(uidOf(pod));
        this.#objects?.forget(uidOf(pod));
        this.events.forget?.(pod);
        await rm(sandboxes.logFolder(pod), { recursive: true, force: true });
      },
    };
  }

  #dns() {
    const { clusterDns, clusterDomain, resolvConf } = this.settings.options;
    return { clusterDns, clusterDomain, resolvConf: resolvConf === '' ? '' : readFileSync(resolvConf, 'utf8') };
  }

  #volumes(): PodVolumes {
    const { clients, mounter } = this.settings;
    return new PodVolumes({
      folders: this.#folders,
      mounter,
      ...(clients && { claims: new VolumeClaims(clients.pods, () => this.node.object) }),
      inputs: (pod) => ({
        pod,
        objects: this.#objects?.followedBy(uidOf(pod)) ?? NO_OBJECTS,
        addresses: this.#addresses(pod.status?.podIPs?.map(({ ip = '' }) => ip) ?? []),
        allocatable: this.node.allocatable,
        token: (projection) =>
          this.#tokens?.token(pod, projection) ??
          Promise.reject(new Error('tokens of service accounts need a connection to the API')),
      }),
    });
  }

  #addresses(podIPs: readonly string[]) {
    return { podIPs, hostIP: this.node.ips[0] ?? '' };
  }

  async #environment(
    pod: Pod,
    container: Parameters<Inputs['containers']['environment']>[1],
    podIPs: readonly string[],
  ) {
    // A container that starts before services are known would never find them.
    if (this.#services && !this.#services.hasSynced && !this.isStatic(pod))
      throw new Error('services have not yet been read at least once, cannot construct envvars');
    const links = pod.spec?.enableServiceLinks ?? true;
    const namespace = pod.metadata?.namespace ?? '';
    return containerEnvironment({
      ...{ pod, container, objects: this.#objects?.current() ?? NO_OBJECTS, allocatable: this.node.allocatable },
      addresses: this.#addresses(pod.spec?.hostNetwork ? this.node.ips : podIPs),
      services: serviceVariables(this.#services?.list() ?? [], namespace, links, this.node.names),
      onInvalidNames: (message) => this.events.ofPod(pod, 'Warning', 'InvalidEnvironmentVariableNames', message),
    });
  }

  /** Secrets that are missing are reported and left out: the image may be public. */
  async #pullSecrets(pod: Pod): Promise<Secret[]> {
    const secrets: Secret[] = [];
    const objects = this.#objects?.followedBy(uidOf(pod)) ?? NO_OBJECTS;
    for (const { name = '' } of pod.spec?.imagePullSecrets ?? []) {
      try {
        secrets.push(await objects.secret(pod.metadata?.namespace ?? '', name));
      } catch (error) {
        const message = `Unable to retrieve some image pull secrets (${name}); attempting to pull the image may not succeed.`;
        this.events.ofPod(pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
        this.settings.logger.v(2)?.info('a pull secret cannot be read', { pod: podKeyOf(pod), err: String(error) });
      }
    }
    return secrets;
  }
}

/** Returns the handler of a RuntimeClass. @throws ApiError where there is no such class */
async function handlerOf(client: AgentClients['pods'], name: string): Promise<string> {
  const ref = { group: client.names.group('node.orch.io'), version: 'v1', resource: 'runtimeclasses' };
  return (await client.get<RuntimeClass & ApiObject>(ref, name)).handler ?? '';
}

const NO_API = 'objects of the API need a connection to it';
const NO_OBJECTS: ConfigurationObjects = {
  configMap: () => Promise.reject(new Error(NO_API)),
  secret: () => Promise.reject(new Error(NO_API)),
};
