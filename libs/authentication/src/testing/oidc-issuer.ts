import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

/** Certificate that an issuer shows, and the authority of it; PEM. */
export interface IssuerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** What is said of someone in ID tokens, beside the subject. */
export type Account = Readonly<Record<string, unknown>>;

const CLIENT = { id: 'cluster', secret: 'secret', redirect: 'https://client.example/back' };

/** An OpenID Connect issuer on loopback whose users are logged in as soon as they ask. */
export class OidcIssuer {
  /** For whom tokens are. */
  readonly clientId = CLIENT.id;
  /** Requests so far, by their paths. */
  readonly paths: string[] = [];
  #provider: Provider | undefined;
  #lifetime = 3600;

  private constructor(
    private readonly server: Server,
    private readonly tls: IssuerTls,
    private readonly accounts: Readonly<Record<string, Account>>,
  ) {
    server.on('request', (req, res) => void this.#serve(req, res));
  }

  /** @param port 0 for a free one */
  static async start(tls: IssuerTls, accounts: Readonly<Record<string, Account>>, port = 0): Promise<OidcIssuer> {
    const server = createServer({ cert: tls.cert, key: tls.key });
    const issuer = new OidcIssuer(server, tls, accounts);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    await issuer.rotate();
    return issuer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Signs with another key from here on, and knows the ones before no more. */
  async rotate(alg = 'RS256'): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    this.#provider = new Provider(this.url, this.#configuration({ ...(await exportJWK(privateKey)), alg, use: 'sig' }));
  }

  /** The ID token of someone, by the flow that browsers take. @param seconds how long it is good */
  async idToken(account: string, seconds = 3600): Promise<string> {
    this.#lifetime = seconds;
    const code = await this.#code(account);
    const credentials = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
    const answer = await this.#ask('POST', '/token', {
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CLIENT.redirect }).toString(),
    });
    return (JSON.parse(answer.body) as { id_token: string }).id_token;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  #configuration(key: JWK): Configuration {
    const { accounts } = this;
    const claims = [...new Set(Object.values(accounts).flatMap((account) => Object.keys(account)))];
    return {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [CLIENT.redirect],
          id_token_signed_response_alg: key.alg as 'RS256',
        },
      ],
      jwks: { keys: [key as never] },
      cookies: { keys: ['a key of tests'] },
      claims: { openid: ['sub', ...claims] },
      conformIdTokenClaims: false,
      pkce: { required: () => false },
      ttl: { IdToken: () => this.#lifetime },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
        grant.addOIDCScope('openid');
        await grant.save();
        return grant;
      },
    };
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) return void res.writeHead(503).end(); // it has no key yet
    const { pathname } = new URL(req.url ?? '/', this.url);
    this.paths.push(pathname);
    if (!pathname.startsWith('/interaction/')) {
      await provider.callback()(req, res);
      return;
    }
    const { params } = await provider.interactionDetails(req, res);
    await provider.interactionFinished(req, res, { login: { accountId: String(params.login_hint) } });
  }

  /** Follows the flow until it comes back to the client. */
  async #code(account: string): Promise<string> {
    const query = {
      client_id: CLIENT.id,
      redirect_uri: CLIENT.redirect,
      response_type: 'code',
      scope: 'openid',
      login_hint: account,
      prompt: 'login',
    };
    const cookies = new Map<string, string>();
    for (let path = `/auth?${new URLSearchParams(query)}`; ; ) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const { location, setCookies, body } = await this.#ask('GET', path, { headers: { cookie } });
      for (const [, name, value] of setCookies.map((set) => /^([^=]+)=([^;]*)/.exec(set) ?? []))
        if (name) cookies.set(name, String(value));
      if (location === undefined) throw new Error(`the flow ends in ${body}`);
      const next = new URL(location, this.url);
      const code = next.searchParams.get('code');
      if (code) return code;
      if (next.origin !== this.url) throw new Error(`the flow ends at ${next}`);
      path = next.pathname + next.search;
    }
  }

  async #ask(method: string, path: string, { headers, body }: { headers: Record<string, string>; body?: string }) {
    const req = request(new URL(path, this.url), { method, ca: this.tls.ca, headers, agent: false }).end(body);
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) text += chunk;
    return { location: res.headers.location, setCookies: res.headers['set-cookie'] ?? [], body: text };
  }
}
