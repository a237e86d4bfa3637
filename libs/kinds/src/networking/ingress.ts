import type { ApiObject } from '@orch/machinery';
import { loadBalancerAddresses } from '../core/service.js';
import { orNone, someOf } from '../printing/text.js';
import { at, isEmpty, objectsAt, textAt } from '../rules/fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

const MAX_HOSTS = 3;

export const ingress: KindDeclaration = {
  generation: true,
  row: (object) => ({
    Class: orNone(textAt(object, 'spec', 'ingressClassName')),
    Hosts: hosts(object),
    Address: loadBalancerAddresses(at(object, 'status', 'loadBalancer')).join(','),
    Ports: isEmpty(at(object, 'spec', 'tls')) ? '80' : '80, 443',
  }),
};

function hosts(object: ApiObject): string {
  const named = objectsAt(object, 'spec', 'rules').flatMap((rule) => textAt(rule, 'host') || []);
  return named.length === 0 ? '*' : someOf(named, MAX_HOSTS);
}
