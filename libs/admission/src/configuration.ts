import { isPlugin } from './selection.js';

/** Configuration of one plugin in an AdmissionConfiguration: inline, or the path of the file that holds it. */
export type PluginConfiguration =
  | { readonly configuration: unknown }
  | { readonly path: string }
  | Record<string, never>;

const API_VERSION = /^apiserver(?:\.config\.[a-z0-9.-]+\/v1|\.[a-z0-9.-]+\/v1alpha1)$/;
const KIND = 'AdmissionConfiguration';
/**
 * Plugins whose own configuration files, which are no AdmissionConfiguration, are accepted, by the field that
 * identifies them.
 */
const LEGACY = { imagePolicy: 'ImagePolicyWebhook', podNodeSelectorPluginConfig: 'PodNodeSelector' } as const;

/**
 * Reads the content of the file of `--admission-control-config-file`.
 * @param value the parsed content
 * @returns configurations by the name of the plugin
 * @throws Error for anything but an AdmissionConfiguration, for unknown fields and for unknown plugins
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
  // The first entry of a plugin wins.
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
