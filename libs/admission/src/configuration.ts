import { isPlugin } from './selection.js';

/** What an AdmissionConfiguration says to one plugin: the configuration itself, or the file that it stands in. */
export type PluginConfiguration =
  | { readonly configuration: unknown }
  | { readonly path: string }
  | Record<string, never>;

const API_VERSION = /^apiserver(?:\.config\.[a-z0-9.-]+\/v1|\.[a-z0-9.-]+\/v1alpha1)$/;
const KIND = 'AdmissionConfiguration';
/** Files of these plugins that are no AdmissionConfiguration, by a field that tells them. */
const LEGACY = { imagePolicy: 'ImagePolicyWebhook', podNodeSelectorPluginConfig: 'PodNodeSelector' } as const;

/**
 * Reads what the file of `--admission-control-config-file` holds.
 * @param value as it was parsed
 * @returns what it says, by the name of the plugin
 * @throws Error for anything else than an AdmissionConfiguration, unknown fields and plugins that there are not
 */
export function readAdmissionConfiguration(value: unknown): ReadonlyMap<string, PluginConfiguration> {
  const read = objectOf(value, 'the file');
  const legacy = Object.entries(LEGACY).filter(([field]) => field in read);
  if (read.kind === undefined && legacy.length > 0)
    return new Map(legacy.map(([, name]) => [name, { configuration: value }]));
  const { apiVersion, kind, plugins = [], ...others } = read;
  if (kind !== KIND) throw new Error(`kind must be ${KIND}`);
  if (typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion))
    throw new Error(`unknown apiVersion: ${String(apiVersion)}`);
  refuseOthers(others, '');
  if (plugins === null) return new Map();
  if (!Array.isArray(plugins)) throw new Error('plugins must be a list');
  const entries = plugins.map((each: unknown, at) => pluginOf(each, `plugins[${at}]`));
  // The first that names a plugin holds.
  return new Map(entries.reverse());
}

function pluginOf(value: unknown, where: string): [string, PluginConfiguration] {
  const { name, path = '', configuration, ...others } = objectOf(value, where);
  refuseOthers(others, `${where}.`);
  if (typeof name !== 'string' || !isPlugin(name))
    throw new Error(`${where}.name: unknown admission plugin: ${String(name)}`);
  if (typeof path !== 'string') throw new Error(`${where}.path must be a string`);
  if (configuration !== undefined && configuration !== null) return [name, { configuration }];
  return [name, path === '' ? {} : { path }];
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is not an object`);
  return value as Record<string, unknown>;
}

function refuseOthers(others: Record<string, unknown>, where: string): void {
  const unknown = Object.keys(others).map((key) => where + key);
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
}
