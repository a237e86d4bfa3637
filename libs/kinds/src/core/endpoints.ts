import { hostPort, someOf } from '../printing/text.js';
import { countAt, objectsAt, textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

const MAX_SHOWN = 3;

export const endpoints: KindDeclaration = {
  createOnUpdate: true,
  row: (object) => ({ Endpoints: someOf(objectsAt(object, 'subsets').flatMap(addressesOf), MAX_SHOWN) }),
};

function addressesOf(subset: unknown): string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports').map((port) => countAt(port, 'port'));
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((address) => hostPort(address, port)));
}
