import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PortMapping, SandboxConfig } from '@orch/container-runtime';
import {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  type DnsSettings,
  dottedSysctl,
  type EventSink,
  kernelHostname,
  podCgroup,
  podDns,
  podHostname,
  uidOf,
} from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { sandboxLabels } from './labels.js';
import { sandboxSecurity } from './security.js';

/** Settings of {@link SandboxConfigs}. */
interface SandboxConfigsSettings {
  /** Folder of the logs of all pods. */
  readonly logs: string;
  /** Folder of seccomp profiles. */
  readonly profiles: string;
  /** Returns the settings of resolvers. */
  readonly dns: () => DnsSettings;
  /** Cgroup below which those of pods are made, and who owns them; absent: the runtime decides. */
  readonly cgroups?: { readonly root: CgroupName; readonly driver: CgroupDriver };
  /** Returns the handler of the runtime that a RuntimeClass names; absent without an API. */
  readonly handler?: (runtimeClass: string) => Promise<string>;
  /** Receives what is to be reported. */
  readonly events: EventSink;
}

/** Makes the settings of sandboxes from pods. */
export class SandboxConfigs {
  constructor(private readonly settings: SandboxConfigsSettings) {}

  /** Folder of the logs of a pod. */
  logFolder(pod: Pod): string {
    const { name = '', namespace = '' } = pod.metadata ?? {};
    return join(this.settings.logs, `${namespace}_${name}_${uidOf(pod)}`);
  }

  /** Returns the handler of the runtime for a pod's new sandbox; empty: the default. @throws Error where the class is not known */
  async handlerOf({ spec: { runtimeClassName = '' } = {} }: Pod): Promise<string> {
    if (runtimeClassName === '') return '';
    const { handler } = this.settings;
    if (!handler) throw new Error(`the RuntimeClass ${runtimeClassName} needs a connection to the API`);
    return handler(runtimeClassName);
  }

  /**
   * Returns the settings of a pod's sandbox; the folder of its logs is made.
   * @param attempt number of sandboxes of the pod before
   * @param isNew whether it is about to be made: warnings are reported then
   * @throws Error where the pod cannot have one
   */
  async of(pod: Pod, attempt: number, isNew: boolean): Promise<SandboxConfig> {
    const { profiles, cgroups } = this.settings;
    const dns = podDns(pod, this.settings.dns());
    if (isNew) this.#warn(pod, dns.warnings);
    const logDirectory = this.logFolder(pod);
    await mkdir(logDirectory, { recursive: true, mode: 0o755 });
    const { name = '', namespace = '', annotations = {} } = pod.metadata ?? {};
    const { hostNetwork, securityContext } = pod.spec ?? {};
    const sysctls = (securityContext?.sysctls ?? []).map(
      ({ name: key = '', value = '' }) => [dottedSysctl(key), value] as const,
    );
    const hostname = podHostname(pod, this.settings.dns().clusterDomain);
    const ports = portMappings(pod);
    return {
      metadata: { name, namespace, uid: uidOf(pod), attempt },
      hostname: hostNetwork ? '' : kernelHostname(pod, hostname),
      logDirectory,
      dns: dns.config,
      ...(ports.length > 0 && { portMappings: ports }),
      labels: sandboxLabels(pod),
      annotations,
      ...(cgroups && { cgroupParent: cgroupPath(podCgroup(cgroups.root, pod), cgroups.driver) }),
      security: sandboxSecurity(pod, profiles),
      ...(sysctls.length > 0 && { sysctls: Object.fromEntries(sysctls) }),
    };
  }

  #warn(pod: Pod, warnings: ReturnType<typeof podDns>['warnings']): void {
    const { events } = this.settings;
    for (const [reason, message] of warnings) {
      events.ofPod(pod, 'Warning', reason, message);
      // Without a server of the cluster it is the node that is not set up: its events say so as well.
      if (reason === 'MissingClusterDNS') events.ofNode('Warning', reason, message.slice(message.indexOf('kubelet')));
    }
  }
}

function portMappings(pod: Pod): PortMapping[] {
  if (pod.spec?.hostNetwork) return [];
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ protocol = 'TCP', containerPort = 0, hostPort = 0, hostIP = '' }) => ({
      protocol,
      containerPort,
      hostPort,
      hostIP,
    })),
  );
}
