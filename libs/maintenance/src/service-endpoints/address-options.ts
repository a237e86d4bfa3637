import { isIP } from 'node:net';
import { isLoopback } from './own-address.js';

/** @throws RangeError for what others cannot reach */
function checkAddress(address: string): void {
  if (isIP(address) === 0) throw new RangeError('it must be an address of IPv4 or IPv6');
  if (isLoopback(address) || address === '0.0.0.0' || address === '::')
    throw new RangeError('it must be an address that others reach this server by');
}

/** Options of how others find this server. */
export const addressOptions = {
  'advertise-address': {
    type: 'string',
    check: checkAddress,
    help: 'Address that others reach this server by: it stands in the Endpoints of the Service of the API, and where nothing else is named in the discovery document of the issuer of tokens. Default: that of --bind-address, or where that is all or a loopback address, of the interface with the default route.',
  },
  'endpoint-reconciler-type': {
    type: 'string',
    choices: ['lease', 'none'],
    default: 'lease',
    help: 'How Endpoints and EndpointSlice of the Service of the API are kept: the address of each server while it is alive, or not at all.',
  },
} as const;
