import { dnsLabelErrors, dnsSubdomainErrors } from '@orch/machinery';

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

/** The controller that counts how quotas are used: requests are charged by what it counts, or by what another does. */
const COUNTS = 'resourcequota';

/** @throws RangeError for a name that no loop has, or that cannot change hands while the server runs */
function checkYielding(entries: readonly string[]): void {
  checkControllers(entries);
  if (entries.includes(COUNTS))
    throw new RangeError(`${COUNTS} cannot yield: who counts quotas is decided once, by --controllers=*,-${COUNTS}`);
}

/** @throws RangeError for what is not a namespace and a name */
function checkLease(lease: string): void {
  const [namespace = '', name = '', ...more] = lease.split('/');
  const problems = [...dnsLabelErrors(namespace), ...dnsSubdomainErrors(name)];
  if (more.length > 0 || problems.length > 0)
    throw new RangeError(`${JSON.stringify(lease)} is no namespace and name of a Lease, NAMESPACE/NAME`);
}

/** Options of the loops that a controller manager may run in the place of servers. */
export const controllerOptions = {
  controllers: {
    type: 'list',
    default: [ALL],
    check: checkControllers,
    help: `Controllers that run within servers: * is all of them, a name is that one, -name is all but that one. Use the same value on all servers; disable those that a controller manager runs. Names: ${CONTROLLERS.join(', ')}.`,
  },
  'yielding-controllers': {
    type: 'list',
    default: [],
    check: checkYielding,
    help: `Controllers that rest while a controller manager holds the Lease --controller-manager-lease, in the form of --controllers: name those that the manager runs. * is all of them but ${COUNTS}, which cannot yield.`,
  },
  'controller-manager-lease': {
    type: 'string',
    default: 'kube-system/kube-controller-manager',
    check: checkLease,
    help: 'Lease for which controller managers compete, NAMESPACE/NAME; see --yielding-controllers.',
  },
} as const;

/** Options that name controllers. */
interface NamedControllers {
  readonly controllers: readonly string[];
  readonly yieldingControllers: readonly string[];
}

/** Returns whether a loop runs by the option: an entry with its name takes precedence over `*`. */
export function runsController(entries: readonly string[], name: ControllerName): boolean {
  if (entries.includes(name)) return true;
  return entries.includes(ALL) && !entries.includes(`-${name}`);
}

/** Returns whether a controller of any name rests while a controller manager holds its lease. */
export function yieldsController(entries: readonly string[], name: string): boolean {
  return isKnown(name) && name !== COUNTS && runsController(entries, name);
}

/**
 * Refuses names in the options of which no controller runs in this process. What `*` stands for may be missing: a
 * controller is left out where its resources are not served, or an option that it needs is not given.
 * @param running names of the controllers that run
 * @throws RangeError
 */
export function checkNamedControllers(
  { controllers, yieldingControllers }: NamedControllers,
  running: Iterable<string>,
): void {
  const known = new Set(running);
  const isMissing = (entry: string) => isKnown(entry) && !known.has(entry);
  const own = CONTROLLERS.filter((name) => known.has(name)).join(', ');
  const found = controllers.find(isMissing);
  if (found !== undefined)
    throw new RangeError(
      `--controllers: nothing runs as ${found}, as its resources are not served or an option that it needs is missing; known here: ${own}`,
    );
  const resting = yieldingControllers.find(isMissing);
  if (resting !== undefined)
    throw new RangeError(`--yielding-controllers: nothing runs as ${resting} that could yield; known here: ${own}`);
}
