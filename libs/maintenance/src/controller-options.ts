/** Controllers that run within servers, by the names that they have in kube-controller-manager. */
export const CONTROLLERS = [
  'bootstrapsigner',
  'clusterrole-aggregation',
  'csrapproving',
  'csrcleaner',
  'csrsigning',
  'namespace',
  'resourcequota',
  'root-ca-cert-publisher',
  'serviceaccount',
  'tokencleaner',
] as const;

/** Name of a controller, as `--controllers` takes it. */
export type ControllerName = (typeof CONTROLLERS)[number];

const ALL = '*';

const isKnown = (name: string): name is ControllerName => (CONTROLLERS as readonly string[]).includes(name);

/** @throws RangeError for a name that no loop has */
function checkControllers(entries: readonly string[]): void {
  for (const entry of entries) {
    const name = entry.replace(/^-/, '');
    if (entry !== ALL && !isKnown(name)) {
      throw new RangeError(`${JSON.stringify(entry)} is none of ${ALL}, ${CONTROLLERS.join(', ')}`);
    }
  }
}

/** Options of the loops that a controller manager may run in the place of servers. */
export const controllerOptions = {
  controllers: {
    type: 'list',
    default: [ALL],
    check: checkControllers,
    help: `Controllers that run within servers: * is all of them, a name is that one, -name is all but that one. Use the same value on all servers; disable those that a controller manager runs. Names: ${CONTROLLERS.join(', ')}.`,
  },
} as const;

/** Returns whether a loop runs by the option: an entry with its name takes precedence over `*`. */
export function runsController(entries: readonly string[], name: ControllerName): boolean {
  if (entries.includes(name)) return true;
  return entries.includes(ALL) && !entries.includes(`-${name}`);
}
