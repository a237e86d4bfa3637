import { AGGREGATOR_NAME, commonNamesOf } from '@orch/authentication';
import type { Pair } from '../sockets/shown-pairs.js';

/** The client certificates of a process. */
interface ClientPairs {
  /** Client certificate for gateways that watches are proxied to; undefined if there is none. */
  readonly gatewayClient: Pair | undefined;
  /** Client certificate for extension servers; undefined if there is none. */
  readonly proxy: Pair | undefined;
}

/**
 * Checks the client certificate for gateways that watches are proxied to.
 * @returns a warning about a probable mistake
 * @throws Error when gateways would refuse each watch: they do not trust the name of the aggregator's certificate
 */
export function checkGatewayClient({ gatewayClient, proxy }: ClientPairs): string | undefined {
  if (gatewayClient === undefined || commonNamesOf(gatewayClient.cert).includes(AGGREGATOR_NAME))
    throw new Error('--gateway-url needs --gateway-client-cert-file beside --requestheader-client-ca-file');
  if (gatewayClient.cert !== proxy?.cert) return undefined;
  return '--gateway-client-cert-file is not given: gateways are shown --proxy-client-cert-file, with which extension servers are asked as well';
}
