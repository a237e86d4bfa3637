import { hasReason } from '@orch/client';
import { memberOf, variableNameErrors } from '@orch/machinery';
import type { ConfigMap, EnvFromSource, EnvVar, EnvVarSource, Pod, Secret } from '@orch/schema/types/core/v1';
import type { PodContainer } from '../identity.js';
import { expand } from './expansion.js';
import { fieldValue, type PodAddresses } from './field-values.js';
import { type ResourceList, resourceValue } from './resource-values.js';

/** Access to the ConfigMaps and Secrets that pods use. */
export interface ConfigurationObjects {
  /** Returns a ConfigMap. @throws ApiError, with the reason NotFound where there is none */
  configMap(namespace: string, name: string): Promise<ConfigMap>;
  /** Returns a Secret. @throws ApiError, with the reason NotFound where there is none */
  secret(namespace: string, name: string): Promise<Secret>;
}

/** Values that the environment of a container is made of. */
interface EnvironmentInputs {
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: PodContainer;
  /** Addresses of pod and node. */
  readonly addresses: PodAddresses;
  /** Resources of the node that pods can have. */
  readonly allocatable: ResourceList;
  /** Variables of services. */
  readonly services: ReadonlyMap<string, string>;
  /** ConfigMaps and Secrets. */
  readonly objects: ConfigurationObjects;
  /** Called with the sentence of a warning event when names of variables are invalid; these are left out. */
  readonly onInvalidNames: (message: string) => void;
}

/**
 * Returns the environment of a container: variables of services, overridden by those of `envFrom` and these by `env`.
 * @throws Error for a value that cannot be determined; the message is the reason for which the container waits
 */
export async function containerEnvironment(inputs: EnvironmentInputs): Promise<Map<string, string>> {
  const own = new Map<string, string>();
  for (const source of inputs.container.envFrom ?? []) await addAll(own, source, inputs);
  const lookup = (name: string) => own.get(name) ?? inputs.services.get(name);
  for (const variable of inputs.container.env ?? []) {
    const value = await valueOfVariable(variable, lookup, inputs);
    if (value !== undefined) own.set(variable.name ?? '', value);
  }
  return new Map([...inputs.services, ...own]);
}

async function addAll(own: Map<string, string>, source: EnvFromSource, inputs: EnvironmentInputs): Promise<void> {
  const { pod, objects, onInvalidNames } = inputs;
  const namespace = pod.metadata?.namespace ?? '';
  const { prefix = '', configMapRef, secretRef } = source;
  const { name = '', optional = false } = configMapRef ?? secretRef ?? {};
  const kind = configMapRef ? 'configMap' : 'secret';
  const values = await unlessMissing(optional, async () =>
    configMapRef
      ? ((await objects.configMap(namespace, name)).data ?? {})
      : secretTexts(await objects.secret(namespace, name)),
  );
  const invalid: string[] = [];
  for (const [key, value] of Object.entries(values ?? {})) {
    const variable = `${prefix}${key}`;
    if (variableNameErrors(variable).length > 0) invalid.push(variable);
    else own.set(variable, value);
  }
  if (invalid.length === 0) return;
  const list = invalid.sort().join(', ');
  const place = `the EnvFrom ${kind} ${namespace}/${name}`;
  onInvalidNames(
    `Keys [${list}] from ${place} were skipped since they are considered invalid environment variable names.`,
  );
}

async function valueOfVariable(
  { value = '', valueFrom }: EnvVar,
  lookup: (name: string) => string | undefined,
  inputs: EnvironmentInputs,
): Promise<string | undefined> {
  if (value !== '' || !valueFrom) return expand(value, lookup);
  const { pod, container, addresses, allocatable } = inputs;
  if (valueFrom.fieldRef) return fieldValue(valueFrom.fieldRef.fieldPath ?? '', pod, addresses);
  if (valueFrom.resourceFieldRef) return resourceValue(valueFrom.resourceFieldRef, pod, container, allocatable);
  return valueOfKey(valueFrom, inputs);
}

async function valueOfKey(source: EnvVarSource, { pod, objects }: EnvironmentInputs): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef } = source;
  const { name = '', key = '', optional = false } = configMapKeyRef ?? secretKeyRef ?? {};
  const namespace = pod.metadata?.namespace ?? '';
  const values = await unlessMissing(optional, async () =>
    configMapKeyRef
      ? ((await objects.configMap(namespace, name)).data ?? {})
      : secretTexts(await objects.secret(namespace, name)),
  );
  if (values === undefined) return undefined;
  const value = memberOf(values, key);
  if (value !== undefined || optional) return value;
  throw new Error(`couldn't find key ${key} in ${configMapKeyRef ? 'ConfigMap' : 'Secret'} ${namespace}/${name}`);
}

/** Returns undefined for an object that is missing and may be. */
async function unlessMissing<T>(optional: boolean, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (optional && hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

const secretTexts = ({ data = {} }: Secret): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));

/** Entry point and arguments of a container, as they are executed. */
interface ExpandedCommand {
  /** Entry point; empty for that of the image. */
  readonly command: string[];
  /** Arguments; empty for those of the image, if the entry point is. */
  readonly args: string[];
}

/** Returns command and arguments of a container with their references to variables replaced. */
export function expandedCommand(
  { command = [], args = [] }: PodContainer,
  environment: ReadonlyMap<string, string>,
): ExpandedCommand {
  const expanded = (texts: readonly string[]) => texts.map((text) => expand(text, (name) => environment.get(name)));
  return { command: expanded(command), args: expanded(args) };
}
