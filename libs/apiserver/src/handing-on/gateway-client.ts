import { AGGREGATOR_NAME, commonNamesOf } from '@orch/authentication';
import type { CredentialSet } from '../credentials/credential-set.js';

/**
 * Looks at what gateways are shown that watches are handed to.
 * @returns what may not be meant
 * @throws Error where gateways would refuse each watch: they believe the name of those that ask other servers in nothing
 */
export function checkGatewayClient({
  gatewayClient,
  proxy,
}: Pick<CredentialSet, 'gatewayClient' | 'proxy'>): string | undefined {
  if (gatewayClient === undefined || commonNamesOf(gatewayClient.cert).includes(AGGREGATOR_NAME))
    throw new Error('--gateway-url needs --gateway-client-cert-file beside --requestheader-client-ca-file');
  if (gatewayClient.cert !== proxy?.cert) return undefined;
  return '--gateway-client-cert-file is not given: gateways are shown --proxy-client-cert-file, with which extension servers are asked as well';
}
