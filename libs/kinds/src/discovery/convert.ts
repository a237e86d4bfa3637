import type { Names } from '@orch/machinery';
import type { Conversion, VersionConversion } from '../conversions/version-conversion.js';
import { edited } from '../values/edited.js';
import { isEmpty, isObject, type Json, mapAt } from '../values/fields.js';

const zoneKey = (names: Names): string => names.key('topology.orch.io/zone');
const hostKey = (names: Names): string => names.key('orch.io/hostname');

/** Converts to version 1: the zone becomes a field; the rest of the topology is kept unless a field expresses it. */
const toV1: Conversion = (object, { names }) =>
  edited(object, 'endpoints.*', ({ topology, ...endpoint }) => {
    if (!isObject(topology)) return endpoint;
    const { [zoneKey(names)]: zone, [hostKey(names)]: host, ...others } = topology;
    const deprecatedTopology = {
      ...others,
      ...(host !== undefined && host !== endpoint.nodeName && { [hostKey(names)]: host }),
    };
    return {
      ...endpoint,
      ...(zone !== undefined && { zone }),
      ...(!isEmpty(deprecatedTopology) && { deprecatedTopology }),
    };
  });

const toV1beta1: Conversion = (object, { names }) =>
  edited(object, 'endpoints.*', ({ deprecatedTopology, zone, ...endpoint }) => {
    const topology: Json = { ...mapAt({ deprecatedTopology }, 'deprecatedTopology') };
    if (zone !== undefined) topology[zoneKey(names)] = zone;
    if (endpoint.nodeName !== undefined && !topology[hostKey(names)]) topology[hostKey(names)] = endpoint.nodeName;
    return isEmpty(topology) ? endpoint : { ...endpoint, topology };
  });

/** How endpoint slices were written before `discovery.orch.io/v1`. */
export const DISCOVERY_VERSIONS: readonly VersionConversion[] = [
  {
    version: 'discovery.orch.io/v1beta1',
    kinds: ['EndpointSlice'],
    hub: 'discovery.orch.io/v1',
    toHub: toV1,
    fromHub: toV1beta1,
  },
];
