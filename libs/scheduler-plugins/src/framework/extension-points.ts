/** Extension points of the scheduling framework, as the configuration names them. */
export const EXTENSION_POINTS = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const;

/** Name of an extension point. */
export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];

/** Plugins that exist, each with the extension points that it implements. */
export type PluginRegistry = ReadonlyMap<string, ReadonlySet<ExtensionPoint>>;

/** Returns the name of the plugin interface of an extension point, as messages use it: `PreFilterPlugin`. */
export const interfaceOf = (point: ExtensionPoint): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
