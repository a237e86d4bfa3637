import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerConfig, LinuxResources, SandboxConfig, StoredImage } from '@orch/container-runtime';
import { expandedCommand, type PodContainer, type ReadyVolume } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import type { ContainerMounts } from './container-mounts.js';
import { containerAnnotations, containerLabels } from './labels.js';
import { containerSecurity } from './security.js';

/** Settings of {@link ContainerConfigs}. */
export interface ContainerConfigsSettings {
  /** Prepares mounts. */
  readonly mounts: Pick<ContainerMounts, 'of'>;
  /** Returns the environment of a container. @throws Error */
  readonly environment: (
    pod: Pod,
    container: PodContainer,
    podIPs: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** Returns the values of a container's cgroup. */
  readonly resources: (pod: Pod, container: PodContainer) => LinuxResources;
  /** Folder of seccomp profiles. */
  readonly profiles: string;
}

/** A container to be made. */
interface ContainerConfigRequest {
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: PodContainer;
  /** Settings of its sandbox. */
  readonly sandbox: SandboxConfig;
  /** Its image. */
  readonly image: StoredImage;
  /** Number of its runs before. */
  readonly restartCount: number;
  /** Addresses of the pod. */
  readonly podIPs: readonly string[];
  /** Volumes of the pod by name. */
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  /** Id of the container whose processes it sees. */
  readonly target?: string;
}

/** Makes the settings of containers from pods. */
export class ContainerConfigs {
  constructor(private readonly settings: ContainerConfigsSettings) {}

  /** Returns the settings of a container; the folder of its log is made. @throws Error where it cannot be made so */
  async of(request: ContainerConfigRequest): Promise<ContainerConfig> {
    const { pod, container, sandbox, image, restartCount, podIPs, volumes, target } = request;
    const { mounts, environment: environmentOf, resources, profiles } = this.settings;
    const { name = '', stdin, stdinOnce, tty, workingDir } = container;
    const environment = await environmentOf(pod, container, podIPs);
    const security = containerSecurity({ pod, container, image, profiles, ...(target && { target }) });
    await mkdir(join(sandbox.logDirectory, name), { recursive: true, mode: 0o755 });
    return {
      metadata: { name, attempt: restartCount },
      image: image.id,
      ...expandedCommand(container, environment),
      ...(workingDir && { workingDir }),
      env: [...environment].map(([variable, value]) => ({ name: variable, value })),
      mounts: await mounts.of({ pod, container, volumes, environment, podIPs }),
      ...devicesOf(container, volumes),
      labels: containerLabels(pod, container),
      annotations: containerAnnotations(pod, container, restartCount),
      logPath: join(name, `${restartCount}.log`),
      ...(stdin && { stdin }),
      ...(stdinOnce && { stdinOnce }),
      ...(tty && { tty }),
      resources: resources(pod, container),
      security,
    };
  }
}

/** The block devices that a container has as volumes. @throws Error where a volume is none */
function devicesOf(
  { name = '', volumeDevices = [] }: PodContainer,
  volumes: ReadonlyMap<string, ReadyVolume>,
): Pick<ContainerConfig, 'devices'> {
  const devices = volumeDevices.map((device) => {
    const volume = volumes.get(device.name ?? '');
    if (!volume?.isDevice) throw new Error(`cannot find volume "${device.name}" to pass into container "${name}"`);
    return {
      containerPath: device.devicePath ?? '',
      hostPath: volume.path,
      permissions: volume.readOnly ? 'r' : 'mrw',
    };
  });
  return devices.length === 0 ? {} : { devices };
}

/** Returns the number of a container's next log: the runtime may have forgotten runs that have left theirs. */
export async function nextLogNumber(logDirectory: string, container: string): Promise<number> {
  try {
    const numbers = (await readdir(join(logDirectory, container))).map((name) => Number(/^(\d+)\.log/.exec(name)?.[1]));
    return Math.max(-1, ...numbers.filter((number) => !Number.isNaN(number))) + 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
