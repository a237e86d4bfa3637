import { cleanPath } from '@orch/client';

/** A service in front of a webhook. */
export interface ServiceReference {
  /** Namespace of the service. */
  readonly namespace: string;
  /** Name of the service. */
  readonly name: string;
  /** Default 443. */
  readonly port?: number;
  /** Default `/`. */
  readonly path?: string;
}

/** Where a webhook is: a URL or a service, as `clientConfig` of definitions and of webhook configurations says it. */
export interface WebhookClientConfig {
  /** An `https` URL with nothing but host, port and path. */
  readonly url?: string;
  /** The service in front of it, where there is no URL. */
  readonly service?: ServiceReference;
  /** Bundle that the webhook's certificate must chain to: PEM in base64. Default: the roots that Node ships. */
  readonly caBundle?: string;
}

/** A webhook's place as requests are sent to it. */
interface Destination {
  /** `https://HOST[:PORT]`; of a service its name in the cluster, which its certificate must bear. */
  readonly origin: string;
  /** Cleaned, as clients of Go clean it before they call. */
  readonly path: string;
}

const HTTPS_PORT = 443;

/** @throws Error for neither a URL nor a service, and for what is no URL */
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

/** The port of a service that is asked. */
export const servicePort = ({ namespace, name, port = HTTPS_PORT }: ServiceReference): ServicePort => ({
  namespace,
  name,
  port,
});
