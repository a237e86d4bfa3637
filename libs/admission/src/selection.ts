import type { NamingProfile } from '@orch/machinery';
import { type BuiltPlugin, PLUGINS } from './plugins.js';

/** What `--enable-admission-plugins` and `--disable-admission-plugins` name. */
export interface PluginSelection {
  /** Names of plugins that are on beside those that are by default. */
  readonly enable: readonly string[];
  /** Names of plugins that are off; none may be named in both. */
  readonly disable: readonly string[];
}

const NAMES: ReadonlySet<string> = new Set(PLUGINS.map(({ name }) => name));

/** Whether there is a plugin of a name. */
export const isPlugin = (name: string): boolean => NAMES.has(name);

/** Whether a plugin is asked in installations of a naming unless options say otherwise. */
const isOnByDefault = ({ onByDefault }: Pick<BuiltPlugin, 'onByDefault'>, naming: NamingProfile): boolean =>
  onByDefault === true || onByDefault === naming;

/** The plugins of a process, in the order in which they are asked, whatever the order in which they are named. */
export function selectPlugins({ enable, disable }: PluginSelection, naming: NamingProfile): readonly BuiltPlugin[] {
  const isOn = (plugin: BuiltPlugin) =>
    enable.includes(plugin.name) || (isOnByDefault(plugin, naming) && !disable.includes(plugin.name));
  return PLUGINS.filter(isOn);
}

/** What is wrong with a selection, in the words of the reference; empty when nothing is. */
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
