import type { Names } from '@orch/machinery';
import { type Endpoint, fromStored } from '@orch/resources';
import type { APIService, APIServiceSpec } from '@orch/schema/types/apiregistration/v1';
import type { Row, Version } from '@orch/storage';
import type { Availability } from './availability.js';

/** A service that answers for group-versions. */
export interface ServicePlace {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Port of the Service. */
  readonly port: number;
}

/** An APIService as a process knows it. */
export interface Registration {
  /** Name of the APIService: `<version>.<group>`. */
  readonly name: string;
  /** Uid of the APIService. */
  readonly uid: string;
  /** Version of its last write. */
  readonly stored: Version;
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version of the group. */
  readonly version: string;
  /** Service that answers; undefined where this server does. */
  readonly service: ServicePlace | undefined;
  /** Whether the server's certificate is not verified. */
  readonly insecureSkipTLSVerify: boolean;
  /** PEM; undefined for what the system trusts. */
  readonly caBundle: string | undefined;
  /** Value of `groupPriorityMinimum`. */
  readonly groupPriority: number;
  /** Value of `versionPriority`. */
  readonly versionPriority: number;
  /** Its last condition `Available`; undefined without one. */
  readonly reported: (Omit<Availability, 'status'> & { readonly status: string }) | undefined;
  /** Value of the label that says whether, and when, the server manages it itself. */
  readonly managed: string | undefined;
  /** Its spec as stored. */
  readonly spec: APIServiceSpec;
}

const DEFAULT_PORT = 443;

/** The label of registrations that the server makes itself. */
export const managedLabel = (names: Names): string => names.key('kube-aggregator.orch.io/automanaged');

/**
 * Reads a stored APIService.
 * @param registrations their endpoint, in the version that is stored
 * @throws ConversionError for a body of a version that this release does not know
 */
export function readRegistration(row: Row, registrations: Endpoint, names: Names): Registration {
  const { metadata, spec = {}, status } = fromStored(row, registrations) as APIService;
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  const { service, caBundle } = spec;
  return {
    name: row.name,
    uid: row.uid,
    stored: row.version,
    group: spec.group ?? '',
    version: spec.version ?? '',
    service: service && {
      namespace: service.namespace ?? '',
      name: service.name ?? '',
      port: service.port ?? DEFAULT_PORT,
    },
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify === true,
    caBundle: caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined,
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    reported: condition && {
      status: condition.status ?? '',
      reason: condition.reason ?? '',
      message: condition.message ?? '',
    },
    managed: metadata?.labels?.[managedLabel(names)],
    spec,
  };
}

/** Whether requests are passed on for it. */
export const isAvailable = ({ reported }: Registration): boolean => reported?.status === 'True';
