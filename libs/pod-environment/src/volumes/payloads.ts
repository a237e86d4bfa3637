import { hasReason } from '@orch/client';
import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  Secret,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@orch/schema/types/core/v1';
import type { ConfigurationObjects } from '../environment/container-environment.js';
import { fieldValue, type PodAddresses } from '../environment/field-values.js';
import { type ResourceList, resourceValue } from '../environment/resource-values.js';
import type { VolumeFile, VolumePayload } from './atomic-writer.js';

/** Sources of the files of volumes. */
export interface PayloadInputs {
  /** The volume's pod, with its status. */
  readonly pod: Pod;
  /** ConfigMaps and Secrets. */
  readonly objects: ConfigurationObjects;
  /** Addresses of pod and node. */
  readonly addresses: PodAddresses;
  /** Resources of the node that pods can have. */
  readonly allocatable: ResourceList;
  /** Returns a token of the pod's service account. */
  readonly token: (projection: ServiceAccountTokenProjection) => Promise<string>;
}

const DEFAULT_MODE = 0o644;
/** Mode of tokens that belong to a user or group of the pod. */
const PRIVATE_MODE = 0o600;

/** Reference to an object and the keys of it that become files. */
interface KeyedSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

/** Returns the files of a ConfigMap. @throws Error, ApiError */
export async function configMapPayload(source: KeyedSource, mode = DEFAULT_MODE, { pod, objects }: PayloadInputs) {
  const read = () => objects.configMap(pod.metadata?.namespace ?? '', source.name ?? '');
  const object = await unlessMissing<ConfigMap>(source.optional, read);
  const entries = [
    ...Object.entries(object.data ?? {}).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(object.binaryData ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
  ];
  return selected(new Map(entries), source, mode, 'configmap references non-existent config key');
}

/** Returns the files of a Secret. @throws Error, ApiError */
export async function secretPayload(source: KeyedSource, mode = DEFAULT_MODE, { pod, objects }: PayloadInputs) {
  const read = () => objects.secret(pod.metadata?.namespace ?? '', source.name ?? '');
  const { data = {} } = await unlessMissing<Secret>(source.optional, read);
  const entries = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const);
  return selected(new Map(entries), source, mode, 'references non-existent secret key');
}

async function unlessMissing<T extends object>(optional: boolean | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (optional && hasReason(error, 'NotFound')) return {} as T;
    throw error;
  }
}

function selected(
  all: ReadonlyMap<string, Buffer>,
  { items = [], optional = false }: KeyedSource,
  mode: number,
  missing: string,
): Map<string, VolumeFile> {
  if (items.length === 0) return new Map([...all].map(([key, data]) => [key, { data, mode }]));
  const files = new Map<string, VolumeFile>();
  for (const { key = '', path = '', mode: own = mode } of items) {
    const data = all.get(key);
    if (data) files.set(path, { data, mode: own });
    else if (!optional) throw new Error(`${missing}: ${key}`);
  }
  return files;
}

/** Returns files with fields of the pod. @throws Error */
export function downwardPayload(
  items: readonly DownwardAPIVolumeFile[],
  mode = DEFAULT_MODE,
  { pod, addresses, allocatable }: PayloadInputs,
): Map<string, VolumeFile> {
  const files = items.map(({ path = '', fieldRef, resourceFieldRef, mode: own = mode }) => {
    const text = fieldRef
      ? fieldValue(fieldRef.fieldPath ?? '', pod, addresses)
      : resourceValue(resourceFieldRef ?? {}, pod, undefined, allocatable);
    return [path, { data: Buffer.from(text), mode: own }] as const;
  });
  return new Map(files);
}

/** Returns the files of all projections; of equal paths the last holds. @throws Error, with all that is missing */
export async function projectedPayload(
  sources: readonly VolumeProjection[],
  mode = DEFAULT_MODE,
  inputs: PayloadInputs,
): Promise<VolumePayload> {
  const files = new Map<string, VolumeFile>();
  const problems: string[] = [];
  for (const source of sources) {
    try {
      for (const [path, file] of await projection(source, mode, inputs)) files.set(path, file);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  return files;
}

async function projection(source: VolumeProjection, mode: number, inputs: PayloadInputs): Promise<VolumePayload> {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  if (secret) return secretPayload(secret, mode, inputs);
  if (configMap) return configMapPayload(configMap, mode, inputs);
  if (downwardAPI) return downwardPayload(downwardAPI.items ?? [], mode, inputs);
  if (!serviceAccountToken) return new Map();
  const user = commonUser(inputs.pod);
  const isPrivate = user !== undefined || inputs.pod.spec?.securityContext?.fsGroup !== undefined;
  const data = Buffer.from(await inputs.token(serviceAccountToken));
  const file = { data, mode: isPrivate ? PRIVATE_MODE : mode, ...(user !== undefined && { user }) };
  return new Map([[serviceAccountToken.path ?? '', file]]);
}

/** Returns the user that all containers of a pod run as; undefined if they differ, or the images decide. */
export function commonUser({ spec = {} }: Pod): number | undefined {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const users = containers.map(({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser);
  const [first] = users;
  return first !== undefined && users.every((user) => user === first) ? Number(first) : undefined;
}
