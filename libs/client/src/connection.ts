import type { ExecPlugin } from './credentials/exec-plugin.js';

/** Address of a server, and how its certificate is verified. */
export interface ServerPlace {
  /** Base URL, such as `https://127.0.0.1:6443`; its path is prepended to every request's path. */
  readonly server: string;
  /** Bundle that the server's certificate must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** Expected name in the server's certificate, if it is not the URL's host. */
  readonly tlsServerName?: string;
  /** Disables verification of the server's certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * Proxy that connections go through, `http`, `https` or `socks5`; it may hold user and password. Default: from
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
   */
  readonly proxyUrl?: string;
  /** Disables compression of the server's answers. */
  readonly disableCompression?: boolean;
}

/** User that a request impersonates: the `Impersonate-*` headers. */
export interface ImpersonationConfig {
  /** Name of the user; without it nothing is impersonated. */
  readonly user: string;
  /** UID of the user. */
  readonly uid?: string;
  /** Groups of the user. */
  readonly groups?: readonly string[];
  /** Further attributes, each with its values. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Credentials of a client. A token, or user and password, take precedence over a plugin, and so does a certificate. */
export interface ClientUser {
  /** Client certificate and its private key, PEM. */
  readonly cert?: string;
  /** Private key of {@link cert}, PEM; both or neither. */
  readonly key?: string;
  /** Files of certificate and key instead, PEM; read again when they change, which closes the connections of the old ones. */
  readonly certFile?: string;
  /** File of the private key of {@link certFile}; both or neither. */
  readonly keyFile?: string;
  /** Bearer token. */
  readonly token?: string;
  /**
   * File of a bearer token, read again every minute; while it is unreadable, its last content, or {@link token}, is
   * used.
   */
  readonly tokenFile?: string;
  /** User and password (RFC 7617); not together with a token. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** Program that prints credentials. */
  readonly exec?: ExecPlugin;
  /** User that the requests impersonate. */
  readonly impersonate?: ImpersonationConfig;
}

/** Address of a server, and the credentials for it. */
export interface Connection extends ServerPlace, ClientUser {
  /** Default namespace of the user. */
  readonly namespace?: string;
}
