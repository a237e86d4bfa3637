import { type ApiObject, dnsSubdomainErrors, type FieldError, invalidValue, isAddress } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { type Json, objectsAt, textAt } from '../values/fields.js';

/** Where a load balancer is reached, of Services and Ingresses. */
export const validateBalancerStatus = ({ status }: ApiObject): FieldError[] =>
  each(objectsAt(status, 'loadBalancer', 'ingress'), 'status.loadBalancer.ingress', validatePoint);

function validatePoint(point: Json, path: string): FieldError[] {
  const [ip, host] = [textAt(point, 'ip'), textAt(point, 'hostname')];
  const field = `${path}.hostname`;
  return [
    ...(ip === '' || isAddress(ip) ? [] : [invalidValue(`${path}.ip`, ip, 'must be a valid IP address')]),
    ...(host === '' ? [] : invalidEach(field, host, dnsSubdomainErrors(host))),
    ...(isAddress(host) ? [invalidValue(field, host, 'must be a DNS name, not an IP address')] : []),
  ];
}
