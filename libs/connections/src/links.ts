interface LinkSettings {
  /** Path of the proxy, without a slash at its end. */
  readonly prefix: string;
  /** Host and port of the server behind the proxy. */
  readonly backend: string;
  /** Host that the client has asked. */
  readonly host: string;
}

/** Scheme and authority of an absolute link, or the authority of one without a scheme. */
const AUTHORITY = /^(?:([a-z][a-z0-9+.-]*):)?\/\/([^/?#]*)/i;

/** Leads links of a server behind a proxy back below the path of the proxy. */
export class Links {
  constructor(private readonly settings: LinkSettings) {}

  /**
   * Returns the link that a client follows in place of one that the server behind the proxy has sent: the same for
   * relative ones, for other hosts, and for what lies below the proxy already.
   */
  led(link: string): string {
    const { prefix, backend, host } = this.settings;
    const found = AUTHORITY.exec(link);
    const [whole = '', , authority = ''] = found ?? [];
    if (found && authority !== backend && authority !== host) return link;
    const rest = link.slice(whole.length) || (found ? '/' : '');
    if (!rest.startsWith('/')) return link;
    // The client reaches the proxy at its own host: of the server's nothing is left.
    const at = authority === host ? whole : '';
    return rest === prefix || rest.startsWith(`${prefix}/`) ? `${at}${rest}` : `${at}${prefix}${rest}`;
  }
}
