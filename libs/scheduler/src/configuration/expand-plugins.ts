import { EXTENSION_POINTS, type ExtensionPoint, interfaceOf, type PluginRegistry } from '@orch/scheduler-plugins';
import type { ConfiguredPlugin, EnabledPlugins, PluginSet, PluginSets } from './configuration.js';

/**
 * Returns the plugins that run at each extension point. Those that a point names come in the order that it gives, where
 * they override the set of all points; then those of all points; then the rest of what the point names.
 * @throws Error for unknown plugins, for those that do not implement a point that names them, for plugins that are
 * enabled twice, and where the queue is not sorted by just one plugin or nothing binds
 */
export function expandPlugins(sets: PluginSets, registry: PluginRegistry, schedulerName: string): EnabledPlugins {
  const names = EXTENSION_POINTS.map((point) => [point, namesAt(point, sets, registry)] as const);
  const weights = weightsOf(sets);
  const weighted = names.map(([point, list]) => [
    point,
    list.map((name) => ({ name, weight: point === 'score' ? (weights.get(name) ?? 1) : 0 })),
  ]);
  const plugins = Object.fromEntries(weighted) as EnabledPlugins;
  if (plugins.queueSort.length !== 1)
    throw new Error(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${plugins.queueSort.length}`,
    );
  if (plugins.bind.length === 0)
    throw new Error(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`);
  return plugins;
}

function namesAt(point: ExtensionPoint, sets: PluginSets, registry: PluginRegistry): readonly string[] {
  const own = ownNames(point, sets[point], registry);
  if (sets[point].disabled.includes('*')) return own;
  const everywhere = multiPointNames(point, sets, registry);
  const overriding = own.filter((name) => everywhere.includes(name));
  const others = own.filter((name) => !overriding.includes(name));
  return [...overriding, ...everywhere.filter((name) => !overriding.includes(name)), ...others];
}

/** Returns the plugins that the set of an extension point names. */
function ownNames(point: ExtensionPoint, { enabled }: PluginSet, registry: PluginRegistry): readonly string[] {
  const own: string[] = [];
  for (const { name } of enabled) {
    if (!pointsOf(name, point, registry).has(point))
      throw new Error(`plugin "${name}" does not extend ${interfaceOf(point)} plugin`);
    if (own.includes(name)) throw new Error(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    own.push(name);
  }
  return own;
}

/** Returns the plugins of all points that implement this one, and are not disabled there. */
function multiPointNames(point: ExtensionPoint, sets: PluginSets, registry: PluginRegistry): readonly string[] {
  const found: string[] = [];
  for (const { name } of sets.multiPoint.enabled) {
    if (!pointsOf(name, point, registry).has(point) || sets[point].disabled.includes(name)) continue;
    const isOverridden = sets[point].enabled.some((own) => own.name === name);
    if (!isOverridden && found.includes(name))
      throw new Error(`plugin "${name}" already registered as "${interfaceOf(point)}"`);
    found.push(name);
  }
  return [...new Set(found)];
}

function pointsOf(name: string, point: ExtensionPoint, registry: PluginRegistry): ReadonlySet<ExtensionPoint> {
  const points = registry.get(name);
  if (!points) throw new Error(`${interfaceOf(point)} "${name}" does not exist`);
  return points;
}

/** Returns weights by plugin: the first that is given, by the score point before all points; 1 where it is 0. */
function weightsOf({ score, multiPoint }: PluginSets): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const listed: readonly ConfiguredPlugin[] = [...score.enabled, ...multiPoint.enabled];
  for (const { name, weight } of listed) if (!weights.has(name)) weights.set(name, weight || 1);
  return weights;
}
