// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Rules that let outside HTTP traffic reach services. */
export interface Ingress {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Ingress[];
}

/** Names a controller that serves ingresses. */
export interface IngressClass {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: IngressClassSpec;
}

/** A collection of IngressClass objects. */
export interface IngressClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: IngressClass[];
}

/** What traffic may reach and leave a set of pods. */
export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: NetworkPolicy[];
}

export interface HTTPIngressPath {
  path?: string;
  pathType?: "Exact" | "ImplementationSpecific" | "Prefix";
  backend?: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths?: HTTPIngressPath[];
}

export interface IPBlock {
  cidr?: string;
  except?: string[];
}

export interface IngressBackend {
  service?: IngressServiceBackend;
  resource?: core_v1.TypedLocalObjectReference;
}

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
  scope?: string;
  namespace?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export interface IngressLoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  port?: number;
  protocol?: "SCTP" | "TCP" | "UDP";
  error?: string;
}

export interface IngressRule extends IngressRuleValue {
  host?: string;
}

export interface IngressRuleValue {
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name?: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
}

export interface NetworkPolicyPeer {
  podSelector?: meta_v1.LabelSelector;
  namespaceSelector?: meta_v1.LabelSelector;
  ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  protocol?: "SCTP" | "TCP" | "UDP";
  port?: number | string;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector?: meta_v1.LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  policyTypes?: ("Egress" | "Ingress")[];
}

export interface NetworkPolicyStatus {
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}
