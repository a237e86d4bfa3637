/** Where a server is, and with what credentials it is spoken to. */
export interface Connection {
  /** Base URL, such as `https://127.0.0.1:6443`; a path in it is put before every request's path. */
  readonly server: string;
  /** Bundle that the server's certificate must chain to, PEM. Default: the roots that Node ships. */
  readonly ca?: string;
  /** Client certificate and its private key, PEM. */
  readonly cert?: string;
  /** Private key of {@link cert}, PEM; both or neither. */
  readonly key?: string;
  /** Bearer token. */
  readonly token?: string;
  /** User and password (RFC 7617), where there is no token. */
  readonly basic?: { readonly username: string; readonly password: string };
  /** Name that the server's certificate must bear, if it is not the URL's host. */
  readonly tlsServerName?: string;
  /** Do not check the server's certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  /** Namespace that a user means when naming none. */
  readonly namespace?: string;
}
