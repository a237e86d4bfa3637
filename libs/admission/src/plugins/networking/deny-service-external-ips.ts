import type { ApiObject } from '@orch/machinery';
import type { Service } from '@orch/schema/types/core/v1';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';

/** Services get no external addresses: who has one gets what others send there. Those that are there may stay. */
export const denyServiceExternalIps: PluginMaker = () => ({
  name: 'DenyServiceExternalIPs',
  readsOnly: true,
  handles: ({ operation, group, resource, subresource }) =>
    operation !== 'DELETE' && group === '' && resource === 'services' && subresource === '',
  validate(attributes) {
    const old = new Set(addressesOf(attributes.oldObject));
    if (addressesOf(attributes.object).every((address) => old.has(address))) return;
    throw refusal(attributes, 'Use of external IPs is denied by admission control');
  },
});

const addressesOf = (object: ApiObject | undefined): readonly string[] =>
  (object as Service | undefined)?.spec?.externalIPs ?? [];
