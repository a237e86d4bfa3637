import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';
import { isObject, type Json, objectAt } from '../values/fields.js';
import { renamed, reversed } from '../values/rename.js';

const PATHS = 'spec.rules.*.http.paths.*';
const TO_V1: ReadonlyMap<string, string> = new Map([['backend', 'defaultBackend']]);
const TO_V1BETA1 = reversed(TO_V1);

const toV1: Conversion = (object) => {
  const renamedSpec = edited(object, 'spec', (spec) => renamed(spec, TO_V1));
  return edited(edited(renamedSpec, 'spec.defaultBackend', named), `${PATHS}.backend`, named);
};

const toV1beta1: Conversion = (object) => {
  const renamedSpec = edited(object, 'spec', (spec) => renamed(spec, TO_V1BETA1));
  return edited(edited(renamedSpec, 'spec.backend', flat), `${PATHS}.backend`, flat);
};

/**
 * A service's name and port in an object of their own: a number as a number, whatever is text as the name of a port.
 */
function named({ serviceName, servicePort, ...rest }: Json): Json {
  if (!serviceName && !servicePort && typeof servicePort !== 'string') return rest;
  const port = typeof servicePort === 'string' ? { name: servicePort } : servicePort ? { number: servicePort } : {};
  return { ...rest, service: { name: serviceName ?? '', port } };
}

function flat({ service, ...rest }: Json): Json {
  if (!isObject(service)) return rest;
  const { name, number = 0 } = objectAt(service, 'port');
  return { ...rest, serviceName: service.name ?? '', servicePort: name || number };
}

/** Writes out the old default of a path type, which left the matching to the controller. */
const asTheControllerLikes: Conversion = (object) =>
  edited(object, PATHS, (path) => filled(path, { pathType: 'ImplementationSpecific' }));

const ingress = { toHub: toV1, fromHub: toV1beta1, defaults: asTheControllerLikes };
const HUB = 'networking.orch.io/v1';

/** How ingresses and network policies were written before `networking.orch.io/v1`. */
export const NETWORKING_VERSIONS: readonly VersionConversion[] = [
  { version: 'extensions/v1beta1', kinds: ['Ingress'], hub: HUB, ...ingress },
  { version: 'networking.orch.io/v1beta1', kinds: ['Ingress'], hub: HUB, ...ingress },
  { version: 'networking.orch.io/v1beta1', kinds: ['IngressClass'], hub: HUB },
  { version: 'extensions/v1beta1', kinds: ['NetworkPolicy'], hub: HUB },
];
