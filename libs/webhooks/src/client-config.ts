import { cleanPath } from '@orch/client';

/** A service in front of a webhook. */
export interface ServiceReference {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Name of the service. */
  readonly name: string;
  /** Port of the service. Default 443. */
  readonly port?: number;
  /** Path of requests. Default `/`. */
  readonly path?: string;
}

/**
 * Address of a webhook: a URL or a service, as `clientConfig` of definitions and of webhook configurations gives it.
 */
export interface WebhookClientConfig {
  /** An `https` URL with only host, port and path. */
  readonly url?: string;
  /** The service in front of it, if there is no URL. */
  readonly service?: ServiceReference;
  /** Bundle that the webhook's certificate must chain to: PEM in base64. Default: the roots that Node ships. */
  readonly caBundle?: string;
}

/** Destination of the requests to a webhook. */
interface Destination {
  /** `https://HOST[:PORT]`; for a service its name in the cluster, which its certificate must contain. */
  readonly origin: string;
  /** Path, cleaned as clients of Go clean it before a call. */
  readonly path: string;
}

const HTTPS_PORT = 443;

/** Returns the destination of a webhook. @throws Error without URL and service, and for an invalid URL */
export function destinationOf({ url, service }: WebhookClientConfig): Destination {
  if (service) {
    const { namespace, name, port = HTTPS_PORT, path } = service;
    return { origin: `https://${name}.${namespace}.svc:${port}`, path: cleanPath(path ?? '') };
  }
  if (!url) throw new Error('webhook configuration must have either service or URL');
  const { origin, pathname } = new URL(url);
  return { origin, path: cleanPath(pathname) };
}

/** A port of a service, by its number. */
export type ServicePort = Required<Pick<ServiceReference, 'namespace' | 'name' | 'port'>>;

/** Returns the port of a service that is called. */
export const servicePort = ({ namespace, name, port = HTTPS_PORT }: ServiceReference): ServicePort => ({
  namespace,
  name,
  port,
});
