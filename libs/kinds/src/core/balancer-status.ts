import { dnsSubdomainErrors, type FieldError, invalidValue, isAddress } from '@orch/machinery';
import type { LoadBalancerIngress, Service } from '@orch/schema/types/core/v1';
import type { Ingress, IngressLoadBalancerIngress } from '@orch/schema/types/networking/v1';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';

/** Checks the addresses of a load balancer, of Services and Ingresses. */
export const validateBalancerStatus = ({ status }: Service | Ingress): FieldError[] =>
  each<LoadBalancerIngress | IngressLoadBalancerIngress>(
    status?.loadBalancer?.ingress ?? [],
    'status.loadBalancer.ingress',
    validatePoint,
  );

function validatePoint(point: LoadBalancerIngress | IngressLoadBalancerIngress, path: string): FieldError[] {
  const [ip, host] = [point.ip ?? '', point.hostname ?? ''];
  const field = `${path}.hostname`;
  return [
    ...(ip === '' || isAddress(ip) ? [] : [invalidValue(`${path}.ip`, ip, 'must be a valid IP address')]),
    ...(host === '' ? [] : invalidEach(field, host, dnsSubdomainErrors(host))),
    ...(isAddress(host) ? [invalidValue(field, host, 'must be a DNS name, not an IP address')] : []),
  ];
}
