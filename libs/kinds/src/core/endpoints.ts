import type { EndpointSubset, Endpoints } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { hostPort, NONE, someOf } from '../values/text.js';
import { validateEndpoints } from './endpoints-validation.js';

const MAX_SHOWN = 3;

/** Rules of Endpoints. */
export const endpoints: KindDeclaration<Endpoints> = {
  createOnUpdate: true,
  validate: validateEndpoints,
  row: (object) => ({ Endpoints: addresses(object) }),
};

/** Subsets whose addresses are all not ready yet leave the cell empty. */
function addresses(object: Endpoints): string {
  const subsets = object.subsets ?? [];
  if (subsets.length === 0) return NONE;
  const ready = subsets.flatMap(addressesOf);
  return ready.length === 0 ? '' : someOf(ready, MAX_SHOWN);
}

function addressesOf(subset: EndpointSubset): string[] {
  const addresses = (subset.addresses ?? []).map((address) => address.ip ?? '');
  const ports = (subset.ports ?? []).map((port) => port.port ?? 0);
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) => addresses.map((address) => hostPort(address, port)));
}
