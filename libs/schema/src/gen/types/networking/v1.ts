// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Rules that let outside HTTP traffic reach services. */
export interface Ingress {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: IngressSpec;
  /** The observed state; written by the system. */
  status?: IngressStatus;
}

/** A collection of Ingress objects. */
export interface IngressList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Ingress[];
}

/** Names a controller that serves ingresses. */
export interface IngressClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: IngressClassSpec;
}

/** A collection of IngressClass objects. */
export interface IngressClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: IngressClass[];
}

/** What traffic may reach and leave a set of pods. */
export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: NetworkPolicySpec;
  /** The observed state; written by the system. */
  status?: NetworkPolicyStatus;
}

/** A collection of NetworkPolicy objects. */
export interface NetworkPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: NetworkPolicy[];
}

/** A path and where requests to it go. */
export interface HTTPIngressPath {
  /** Path of the request; must begin with "/" when pathType is Exact or Prefix. Unset: all paths. */
  path?: string;
  /** Exact is the whole path, Prefix compares element by element at "/", ImplementationSpecific is up to the ingress class. */
  pathType?: "Exact" | "ImplementationSpecific" | "Prefix";
  /** Where matching requests go. */
  backend?: IngressBackend;
}

/** The paths of one host. */
export interface HTTPIngressRuleValue {
  /** Paths and their backends. */
  paths?: HTTPIngressPath[];
}

/** A range of addresses. */
export interface IPBlock {
  /** The range, such as "192.168.1.0/24" or "2001:db8::/64". */
  cidr?: string;
  /** Ranges within cidr that are left out. */
  except?: string[];
}

/** Where traffic goes. Exactly one of service and resource is set. */
export interface IngressBackend {
  /** A service in the namespace of the ingress. */
  service?: IngressServiceBackend;
  /** An object of another kind in the namespace of the ingress. */
  resource?: core_v1.TypedLocalObjectReference;
}

/** An object with parameters for the controller. */
export interface IngressClassParametersReference {
  /** Group of the object; unset for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Cluster (the default) or Namespace: where the object lies. */
  scope?: string;
  /** Namespace of the object. Required with scope Namespace, forbidden with Cluster. */
  namespace?: string;
}

/** Which controller serves the ingresses of a class. */
export interface IngressClassSpec {
  /** The controller, as a domain and path such as "example.com/ingress", up to 250 characters. Cannot be changed. */
  controller?: string;
  /** More settings for the controller. Unset: none. */
  parameters?: IngressClassParametersReference;
}

/** One point at which traffic enters. */
export interface IngressLoadBalancerIngress {
  /** IP address, when the point is known by one. */
  ip?: string;
  /** Host name, when the point is known by one. */
  hostname?: string;
  /** The ports of this point. */
  ports?: IngressPortStatus[];
}

/** Where traffic for an ingress enters. */
export interface IngressLoadBalancerStatus {
  /** The points of entry. */
  ingress?: IngressLoadBalancerIngress[];
}

/** The state of one port at a load balancer. */
export interface IngressPortStatus {
  /** Number of the port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** A word on what is wrong with the port. Unset: nothing. */
  error?: string;
}

/** Where the requests for one host go. */
export interface IngressRule extends IngressRuleValue {
  /** Full host name without a port; may begin with "*." for any one label. No IP address. Unset: all hosts. */
  host?: string;
}

/** The rules of one host by protocol. */
export interface IngressRuleValue {
  /** Rules for HTTP. Unset: everything goes to the default backend. */
  http?: HTTPIngressRuleValue;
}

/** A port of a service. */
export interface IngressServiceBackend {
  /** Name of the service, in the namespace of the ingress. */
  name?: string;
  /** The port of the service. */
  port?: ServiceBackendPort;
}

/** What an ingress lets in, and where it goes. */
export interface IngressSpec {
  /** The class whose controller serves the ingress. Unset: the default class is filled in, if there is one. */
  ingressClassName?: string;
  /** Where requests go that no rule matches. At least this or one rule must be set. */
  defaultBackend?: IngressBackend;
  /** Certificates by host. Unset: no TLS. */
  tls?: IngressTLS[];
  /** Rules by host. Unset: everything goes to the default backend. */
  rules?: IngressRule[];
}

/** Where an ingress can be reached. */
export interface IngressStatus {
  /** The points at which its traffic enters. */
  loadBalancer?: IngressLoadBalancerStatus;
}

/** The certificate for some hosts. */
export interface IngressTLS {
  /** Hosts that the certificate is for. Unset: left to the controller. */
  hosts?: string[];
  /** The secret with certificate and key, in the namespace of the ingress. Unset: the controller's own certificate or passing through. */
  secretName?: string;
}

/** Traffic that may leave: it must match both ports and to. */
export interface NetworkPolicyEgressRule {
  /** Ports that may be reached. Unset: all. */
  ports?: NetworkPolicyPort[];
  /** Peers that may be reached. Unset: all. */
  to?: NetworkPolicyPeer[];
}

/** Traffic that may enter: it must match both ports and from. */
export interface NetworkPolicyIngressRule {
  /** Ports of the pods that may be reached. Unset: all. */
  ports?: NetworkPolicyPort[];
  /** Peers that may send. Unset: all. */
  from?: NetworkPolicyPeer[];
}

/** Who the other side may be: pods by selectors, or addresses. */
export interface NetworkPolicyPeer {
  /** Pods by their labels, in the namespace of the policy unless namespaceSelector is set. Empty: all of them. */
  podSelector?: meta_v1.LabelSelector;
  /** Namespaces by their labels. Alone: all pods in them; with podSelector: those that match it. Empty: all namespaces. */
  namespaceSelector?: meta_v1.LabelSelector;
  /** A range of addresses. Excludes the other two fields. */
  ipBlock?: IPBlock;
}

/** A port or a range of ports. */
export interface NetworkPolicyPort {
  /** TCP (the default), UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Number of the port, or the name of one of the pod. Unset: all ports of the protocol. */
  port?: number | string;
  /** Last port of a range that begins at port, which must be a number not above it. Unset: just that port. */
  endPort?: number;
}

/** The pods concerned and the traffic they may have. Traffic that some policy allows is allowed. */
export interface NetworkPolicySpec {
  /** The pods concerned, in the namespace of the policy. Empty: all of them. */
  podSelector?: meta_v1.LabelSelector;
  /** What may enter. Unset, while the policy is one on ingress: nothing may. */
  ingress?: NetworkPolicyIngressRule[];
  /** What may leave. Unset, while the policy is one on egress: nothing may. */
  egress?: NetworkPolicyEgressRule[];
  /** What is restricted: Ingress, Egress or both. Unset: Ingress, and Egress too when there are egress rules. */
  policyTypes?: ("Egress" | "Ingress")[];
}

/** What a network plugin reports of a policy. */
export interface NetworkPolicyStatus {
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}

/** A port of a service, by name or by number. Exactly one is set. */
export interface ServiceBackendPort {
  /** Name of the port. */
  name?: string;
  /** Number of the port. */
  number?: number;
}
