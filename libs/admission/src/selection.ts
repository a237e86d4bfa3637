import type { NamingProfile } from '@orch/machinery';
import { type BuiltPlugin, PLUGINS } from './plugins.js';

/** Plugins named by `--enable-admission-plugins` and `--disable-admission-plugins`. */
export interface PluginSelection {
  /** Names of plugins that are enabled in addition to those enabled by default. */
  readonly enable: readonly string[];
  /** Names of plugins that are disabled; no name may be in both lists. */
  readonly disable: readonly string[];
}

const NAMES: ReadonlySet<string> = new Set(PLUGINS.map(({ name }) => name));

/** Returns whether there is a plugin of a name. */
export const isPlugin = (name: string): boolean => NAMES.has(name);

/** Returns whether a plugin is enabled by default in installations of a naming profile. */
const isOnByDefault = ({ onByDefault }: Pick<BuiltPlugin, 'onByDefault'>, naming: NamingProfile): boolean =>
  onByDefault === true || onByDefault === naming;

/** Returns the enabled plugins, in the order in which they are called, whatever the order of the options. */
export function selectPlugins({ enable, disable }: PluginSelection, naming: NamingProfile): readonly BuiltPlugin[] {
  const isOn = (plugin: BuiltPlugin) =>
    enable.includes(plugin.name) || (isOnByDefault(plugin, naming) && !disable.includes(plugin.name));
  return PLUGINS.filter(isOn);
}

/** Returns the errors of a selection, in the words of the reference; empty for a valid one. */
export function selectionProblems({ enable, disable }: PluginSelection): readonly string[] {
  const unknown = (option: string, named: readonly string[]) =>
    named
      .filter((name) => !isPlugin(name))
      .map((name) => `${option}-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort();
  return [
    ...unknown('enable', enable),
    ...unknown('disable', disable),
    ...(both.length > 0
      ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
  ];
}
