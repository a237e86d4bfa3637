import type { KindDeclaration } from '../rules/kind-rules.js';
import { countAt, objectsAt, textAt } from '../values/fields.js';
import { hostPort, NONE, someOf } from '../values/text.js';
import { validateEndpoints } from './endpoints-validation.js';

const MAX_SHOWN = 3;

export const endpoints: KindDeclaration = {
  createOnUpdate: true,
  validate: validateEndpoints,
  row: (object) => ({ Endpoints: addresses(object) }),
};

/** Subsets whose addresses are all not ready yet leave the cell empty. */
function addresses(object: unknown): string {
  const subsets = objectsAt(object, 'subsets');
  if (subsets.length === 0) return NONE;
  const ready = subsets.flatMap(addressesOf);
  return ready.length === 0 ? '' : someOf(ready, MAX_SHOWN);
}

function addressesOf(subset: unknown): string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports').map((port) => countAt(port, 'port'));
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((address) => hostPort(address, port)));
}
