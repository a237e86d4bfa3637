import { serviceNetworks } from '@orch/kinds';
import { ADDRESS_MS, EndpointsReconciler, ownAddress, thisMachine } from '@orch/maintenance';
import { storedEndpoint } from '@orch/resources';
import { declare, type Host } from './process.js';

/** Prefix of the leases in which servers publish their addresses. */
const LEASES = 'server-address/';

/** Keeps the endpoints of the API's own Service, once this server accepts requests. */
export const serviceEndpoints = declare({ name: 'service-endpoints', needs: ['api', 'store', 'served'] }, (process) => {
  let reconciler: EndpointsReconciler | undefined;
  return {
    async start() {
      reconciler = reconcilerOf(process);
      reconciler?.start();
    },
    async stop() {
      await reconciler?.stop();
    },
  };
});

function reconcilerOf(process: Host<'api' | 'store' | 'served'>): EndpointsReconciler | undefined {
  const { serving, role } = process.settings;
  if (!role.housekeeping || serving.endpointReconcilerType === 'none') return undefined;
  // The address must be of the same family as the Service's cluster IP: others could not be reached through it.
  const [{ family }] = serviceNetworks(serving.serviceClusterIpRange);
  const address = ownAddress(serving, thisMachine(), family);
  if (address === undefined) {
    process.logger.info('no address of this machine can be reached by others, and --advertise-address is not given');
    return undefined;
  }
  const [store, { deps }, { securePort: port }] = [process.need('store'), process.need('api'), process.need('served')];
  const { names, pipeline, remover } = deps;
  return new EndpointsReconciler({
    ...{ names, port, pipeline, remover },
    lease: store.lease(`${LEASES}${address}`, ADDRESS_MS),
    alive: async () => (await store.heldLeases(LEASES)).map((name) => name.slice(LEASES.length)),
    endpoints: storedEndpoint(deps, '', 'endpoints'),
    slices: storedEndpoint(deps, 'discovery.orch.io', 'endpointslices'),
    onError: (error) => process.logger.error("the Endpoints of the API's Service could not be written", error),
  });
}
