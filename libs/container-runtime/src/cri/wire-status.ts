import type { ContainerEvent, ContainerMount, ListedContainer, RuntimeContainerStatus } from '../containers.js';
import type { FilesystemUsage, StoredImage } from '../images.js';
import type { NamespaceOptions } from '../isolation.js';
import type { LinuxResources } from '../resources.js';
import type { ListedSandbox, SandboxStatus } from '../sandboxes.js';

/** Message with one number, absent where the number is not known. */
export type WireValue = { readonly value: number } | null;

type WireNamespaces = Omit<NamespaceOptions, 'users'> & {
  readonly targetId: string;
  readonly users: ({ readonly mode: string } & Required<NamespaceOptions>['users']) | null;
};

/** Message of a sandbox's state. */
export interface WireSandboxStatus extends ListedSandbox {
  /** Addresses, if there are any. */
  readonly network: { readonly ip: string; readonly more: readonly { readonly ip: string }[] } | null;
  /** Parts that only Linux has. */
  readonly linux: { readonly namespaces: { readonly options: WireNamespaces | null } | null } | null;
}

/** Message of a container in lists. */
export interface WireContainer extends Omit<ListedContainer, 'image'> {
  /** Reference as in the settings. */
  readonly image: { readonly image: string } | null;
}

type WireMount = Omit<ContainerMount, 'propagation'> & { readonly propagation: string };

/** Message of a container's state. */
export interface WireContainerStatus extends Omit<RuntimeContainerStatus, 'image' | 'mounts' | 'resources'> {
  /** Reference as in the settings. */
  readonly image: { readonly image: string } | null;
  /** Files and folders that it sees. */
  readonly mounts: readonly WireMount[];
  /** Effective limits. */
  readonly resources: { readonly linux: LinuxResources | null } | null;
}

/** Message of an image. */
export interface WireImage extends Omit<StoredImage, 'uid'> {
  /** Name of the user; empty for none. */
  readonly username: string;
  /** Numeric user. */
  readonly uid: WireValue;
}

/** Message of a file system's usage. */
export interface WireFilesystem {
  /** Nanoseconds since 1970. */
  readonly at: number;
  /** Place of the file system. */
  readonly id: { readonly mountpoint: string } | null;
  /** Bytes. */
  readonly usedBytes: WireValue;
  /** Count. */
  readonly inodesUsed: WireValue;
}

/** Message of an event. */
export interface WireEvent extends Omit<ContainerEvent, 'podUid'> {
  /** Sandbox of the container. */
  readonly sandbox: ListedSandbox | null;
}

/** Returns milliseconds. @param nanoseconds since 1970 */
export const milliseconds = (nanoseconds: number): number => nanoseconds / 1e6;

const NODE: NamespaceOptions = { network: 'node', pid: 'node', ipc: 'node' };

function namespacesOf(wire: WireNamespaces | null | undefined): NamespaceOptions {
  if (!wire) return NODE;
  const { network, pid, ipc, targetId, users } = wire;
  const target = targetId === '' ? {} : { targetId };
  const ranges =
    users?.mode === 'pod' && users.uids.length > 0 ? { users: { uids: users.uids, gids: users.gids } } : {};
  return { network, pid, ipc, ...target, ...ranges };
}

/** Returns a sandbox of a list. */
export const listedSandbox = (wire: ListedSandbox): ListedSandbox => ({
  ...wire,
  createdAt: milliseconds(wire.createdAt),
});

/** Returns a sandbox with its network. */
export function sandboxStatus({ network, linux, ...listed }: WireSandboxStatus): SandboxStatus {
  const ips = network && network.ip !== '' ? [network.ip, ...network.more.map(({ ip }) => ip)] : [];
  return { ...listedSandbox(listed), ips, namespaces: namespacesOf(linux?.namespaces?.options) };
}

/** Returns a container of a list. */
export const listedContainer = (wire: WireContainer): ListedContainer => ({
  ...wire,
  image: wire.image?.image ?? '',
  createdAt: milliseconds(wire.createdAt),
});

const mountOf = ({ propagation, ...rest }: WireMount): ContainerMount => ({
  ...rest,
  propagation: propagation.replaceAll('_', '-') as Required<ContainerMount>['propagation'],
});

/** Returns a container's state. */
export function containerStatus(wire: WireContainerStatus): RuntimeContainerStatus {
  const { startedAt, finishedAt, resources, image, mounts, ...rest } = wire;
  return {
    ...rest,
    image: image?.image ?? '',
    createdAt: milliseconds(wire.createdAt),
    ...(startedAt ? { startedAt: milliseconds(startedAt) } : {}),
    ...(finishedAt ? { finishedAt: milliseconds(finishedAt) } : {}),
    mounts: mounts.map(mountOf),
    ...(resources?.linux ? { resources: resources.linux } : {}),
  };
}

/** Returns an image. */
export function storedImage({ uid, username, ...rest }: WireImage): StoredImage {
  return { ...rest, ...(uid && { uid: uid.value }), ...(username !== '' && { username }) };
}

/** Returns the usage of a file system. */
export const filesystemUsage = ({ at, id, usedBytes, inodesUsed }: WireFilesystem): FilesystemUsage => ({
  at: milliseconds(at),
  mountpoint: id?.mountpoint ?? '',
  usedBytes: usedBytes?.value ?? 0,
  inodesUsed: inodesUsed?.value ?? 0,
});

/** Returns an event. */
export function containerEvent({ sandbox, at, ...rest }: WireEvent): ContainerEvent {
  return { ...rest, at: milliseconds(at), ...(sandbox && { podUid: sandbox.metadata.uid }) };
}
