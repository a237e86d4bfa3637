import type {
  ContainerSecurity,
  NamespaceOptions,
  SandboxSecurity,
  SecurityProfile,
  StoredImage,
} from '@orch/container-runtime';
import { memberOf } from '@orch/machinery';
import { type PodContainer, uidOf } from '@orch/pod-environment';
import type { Pod, SeccompProfile, SecurityContext } from '@orch/schema/types/core/v1';

/** Numeric ids of users and groups of a container. */
type Ids = Pick<ContainerSecurity, 'runAsUser' | 'runAsUserName' | 'runAsGroup' | 'supplementalGroups'>;

const numberOf = (id: number | bigint | undefined): number | undefined => (id === undefined ? undefined : Number(id));

function namespacesOf({ spec = {} }: Pod, target?: string): NamespaceOptions {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = spec;
  const pid = hostPID ? 'node' : shareProcessNamespace ? 'pod' : 'container';
  const isTarget = pid === 'container' && target !== undefined;
  return {
    network: hostNetwork ? 'node' : 'pod',
    pid: isTarget ? 'target' : pid,
    ipc: hostIPC ? 'node' : 'pod',
    ...(isTarget && { targetId: target }),
  };
}

/** Returns the privileges of a pod's sandbox. */
export function sandboxSecurity(pod: Pod, profiles: string): SandboxSecurity {
  const { securityContext: context = {}, containers = [], initContainers = [] } = pod.spec ?? {};
  const [user, group] = [numberOf(context.runAsUser), numberOf(context.runAsGroup)];
  const groups = groupsOf(pod);
  const seccomp = profileOf(context.seccompProfile, profiles);
  const all = [...containers, ...initContainers];
  return {
    namespaces: namespacesOf(pod),
    ...(context.seLinuxOptions && { seLinux: context.seLinuxOptions }),
    ...(user !== undefined && { runAsUser: user }),
    ...(group !== undefined && user !== undefined && { runAsGroup: group }),
    ...(groups.length > 0 && { supplementalGroups: groups }),
    ...(all.some(({ securityContext }) => securityContext?.privileged) && { privileged: true }),
    ...(seccomp && { seccomp }),
  };
}

/** Groups of all processes of a pod besides their own. */
function groupsOf({ spec }: Pod): number[] {
  const { supplementalGroups = [], fsGroup } = spec?.securityContext ?? {};
  return [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])].map(Number);
}

/** A container whose privileges are wanted. */
interface SecurityRequest {
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: PodContainer;
  /** Its image, which may name a user. */
  readonly image: StoredImage;
  /** Id of the container whose processes it sees. */
  readonly target?: string;
  /** Folder of seccomp profiles of the node. */
  readonly profiles: string;
}

/** Returns the privileges of a container: its own over those of the pod. @throws Error for a user that may not be */
export function containerSecurity(request: SecurityRequest): ContainerSecurity {
  const { pod, container, target, profiles } = request;
  const own = container.securityContext ?? {};
  const { capabilities, privileged, readOnlyRootFilesystem, allowPrivilegeEscalation, procMount } = own;
  const context = pod.spec?.securityContext ?? {};
  const seLinux = own.seLinuxOptions ?? context.seLinuxOptions;
  const seccomp = profileOf(own.seccompProfile ?? context.seccompProfile, profiles);
  const appArmor = appArmorOf(pod, container.name ?? '');
  checkUser(request);
  return {
    namespaces: namespacesOf(pod, target),
    ...idsOf(request),
    ...(capabilities && { capabilities: { add: capabilities.add ?? [], drop: capabilities.drop ?? [] } }),
    ...(privileged && { privileged }),
    ...(readOnlyRootFilesystem && { readOnlyRootFilesystem }),
    ...(allowPrivilegeEscalation === false && { noNewPrivileges: true }),
    ...(procMount === 'Unmasked' && { maskedPaths: [], readOnlyPaths: [] }),
    ...(seLinux && { seLinux }),
    ...(seccomp && !privileged && { seccomp }),
    ...(appArmor && { appArmor }),
  };
}

const userOf = (pod: Pod, own: SecurityContext): number | undefined =>
  numberOf(own.runAsUser ?? pod.spec?.securityContext?.runAsUser);

function idsOf({ pod, container, image }: SecurityRequest): Ids {
  const own = container.securityContext ?? {};
  const user = userOf(pod, own) ?? image.uid;
  const group = numberOf(own.runAsGroup ?? pod.spec?.securityContext?.runAsGroup);
  const groups = groupsOf(pod);
  return {
    ...(user !== undefined && { runAsUser: user }),
    ...(user === undefined && image.username && { runAsUserName: image.username }),
    ...(group !== undefined && { runAsGroup: group }),
    ...(groups.length > 0 && { supplementalGroups: groups }),
  };
}

/** A container that must not run as root does not, as far as that is known before it runs. */
function checkUser({ pod, container, image }: SecurityRequest): void {
  const own = container.securityContext ?? {};
  if (!(own.runAsNonRoot ?? pod.spec?.securityContext?.runAsNonRoot)) return;
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const place = `(pod: "${name}_${namespace}(${uidOf(pod)})", container: ${container.name ?? ''})`;
  const user = userOf(pod, own);
  if (user === 0) throw new Error(`container's runAsUser breaks non-root policy ${place}`);
  if (user !== undefined) return;
  if (image.username)
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${place}`,
    );
  if ((image.uid ?? 0) === 0) throw new Error(`container has runAsNonRoot and image will run as root ${place}`);
}

function profileOf(profile: SeccompProfile | undefined, folder: string): SecurityProfile | undefined {
  if (!profile) return undefined;
  if (profile.type === 'RuntimeDefault') return { type: 'runtime-default' };
  if (profile.type !== 'Localhost') return { type: 'unconfined' };
  return { type: 'localhost', localhostRef: `${folder}/${profile.localhostProfile ?? ''}` };
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

function appArmorOf({ metadata }: Pod, container: string): SecurityProfile | undefined {
  const profile = memberOf(metadata?.annotations ?? {}, `${APP_ARMOR}${container}`);
  if (profile === undefined || profile === '') return undefined;
  if (profile === 'unconfined') return { type: 'unconfined' };
  if (profile.startsWith(LOCALHOST)) return { type: 'localhost', localhostRef: profile.slice(LOCALHOST.length) };
  return { type: 'runtime-default' };
}
