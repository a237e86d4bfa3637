// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A part of the addresses that stand behind a service. */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** IPv4, IPv6 or FQDN: what all addresses of the slice are. Cannot be changed. */
  addressType?: "FQDN" | "IPv4" | "IPv6";
  /** The endpoints, at most 1000. */
  endpoints?: Endpoint[];
  /** The ports of every endpoint, at most 100. Unset: no ports are known. */
  ports?: EndpointPort[];
}

/** A collection of EndpointSlice objects. */
export interface EndpointSliceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: EndpointSlice[];
}

/** One place where a service is provided. */
export interface Endpoint {
  /** Addresses of the endpoint, of the type of the slice; 1 to 100. Clients may use just the first. */
  addresses?: string[];
  /** Observed conditions. */
  conditions?: EndpointConditions;
  /** Host name of the endpoint, a label in lower case. Unset: none. */
  hostname?: string;
  /** The object behind the endpoint, such as a pod. Unset: none. */
  targetRef?: core_v1.ObjectReference;
  /** Labels of the place, as in older versions of the slice; read only. */
  deprecatedTopology?: Record<string, string>;
  /** The node that the endpoint is on. Unset: not known. */
  nodeName?: string;
  /** The zone that the endpoint is in. Unset: not known. */
  zone?: string;
  /** Who should use the endpoint. Unset: anyone. */
  hints?: EndpointHints;
}

/** What state an endpoint is in. */
export interface EndpointConditions {
  /** Whether it should get traffic; usually false while it terminates. Unset: yes. */
  ready?: boolean;
  /** Whether it can answer, also while it terminates. Unset: as ready. */
  serving?: boolean;
  /** Whether it is about to go. Unset: no. */
  terminating?: boolean;
}

/** Who should use an endpoint. */
export interface EndpointHints {
  /** Zones whose clients should use it, so that traffic stays near. */
  forZones?: ForZone[];
}

/** A port of the endpoints of a slice. */
export interface EndpointPort {
  /** Name of the port, different within the slice: empty, or a label in lower case. Default: empty. */
  name?: string;
  /** TCP (the default), UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Number of the port. Unset: all ports. */
  port?: number;
  /** The protocol spoken on the port, such as "http" or a qualified name. Unset: not known. */
  appProtocol?: string;
}

/** A zone that should use an endpoint. */
export interface ForZone {
  /** Name of the zone. */
  name?: string;
}
