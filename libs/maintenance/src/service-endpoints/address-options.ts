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
    help: "IP address at which others reach this server. It is published in the Endpoints of the API's Service and, unless --service-account-jwks-uri, --public-url or --advertise-host is set, in the discovery document of the token issuer. Default: --bind-address, or the address of the interface with the default route if --bind-address is unspecified or a loopback address.",
  },
  'endpoint-reconciler-type': {
    type: 'string',
    choices: ['lease', 'none'],
    default: 'lease',
    help: "How the Endpoints and EndpointSlice of the API's Service are maintained: lease publishes the address of each server while it is alive; none does not maintain them.",
  },
} as const;
