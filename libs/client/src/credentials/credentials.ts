import type { Connection } from '../connection.js';
import { CredentialsError } from '../errors.js';
import { type ClientCertificate, clientCertificate } from './certificate.js';
import { CertificateFiles } from './certificate-files.js';
import type { PluginCredentials } from './exec-credential.js';
import { ExecCredentials, type ExecPluginSettings } from './exec-credentials.js';
import type { ExecPlugin } from './exec-plugin.js';
import { FileTokenSource } from './token-file.js';

/** Credentials of a request. */
export interface RequestCredentials {
  /** Value of the header `Authorization`. */
  readonly authorization?: string;
  /** Certificate for the handshake; another object means another certificate. */
  readonly certificate?: ClientCertificate;
}

/**
 * Milliseconds between checks of certificates while no request needs them; as client-go's transport/cert_rotation.go.
 */
const LOOK_MS = 300_000;

/** Credentials of a connection's requests, which may change: files are read again, plugins are run again. */
export interface Credentials {
  /** Returns the current credentials: the same object until they change. @throws CredentialsError */
  read(): Promise<RequestCredentials>;
  /** Reports that the server has answered 401: {@link read} looks for others, if there can be any. */
  expire(refused: RequestCredentials): void;
  /** Calls `listener` with the client certificate when it may have changed. Returns a function that removes it. */
  onCertificate(listener: (certificate: ClientCertificate | undefined) => void): () => void;
}

/**
 * Returns the credentials of a connection. Connections with the same plugin share its output. @throws CredentialsError
 */
export function credentialsOf(connection: Connection, settings: ExecPluginSettings): Credentials {
  const { token, tokenFile, basic, cert, certFile, exec } = connection;
  if (basic && (token ?? tokenFile) !== undefined) {
    throw new CredentialsError('username/password or bearer token may be set, but not both');
  }
  const own = token ?? tokenFile ?? basic ?? cert ?? certFile;
  if (exec && own === undefined) return new FromPlugin(sharedPlugin(exec, connection, settings));
  return new FromConnection(connection, settings.now);
}

/** Credentials in the connection itself, or in files that it names. */
class FromConnection implements Credentials {
  readonly #authorization: string | undefined;
  readonly #tokenFile: FileTokenSource | undefined;
  readonly #certificate: ClientCertificate | undefined;
  readonly #certificateFiles: CertificateFiles | undefined;
  #current: RequestCredentials = {};

  constructor(connection: Connection, now: () => number) {
    const { token, tokenFile, basic, cert, key, certFile, keyFile } = connection;
    if (tokenFile !== undefined) this.#tokenFile = new FileTokenSource(tokenFile, token, now);
    else if (token !== undefined) this.#authorization = bearer(token);
    else if (basic) this.#authorization = `Basic ${base64(`${basic.username}:${basic.password}`)}`;
    if (cert !== undefined && key !== undefined) this.#certificate = fitting(cert, key);
    else if (certFile !== undefined && keyFile !== undefined) {
      this.#certificateFiles = new CertificateFiles(certFile, keyFile, now);
    }
  }

  async read(): Promise<RequestCredentials> {
    const authorization = this.#tokenFile ? bearer(await this.#tokenFile.read()) : this.#authorization;
    const certificate = this.#certificateFiles ? await this.#certificateFiles.read() : this.#certificate;
    const next = { ...(authorization && { authorization }), ...(certificate && { certificate }) };
    if (!sameCredentials(this.#current, next)) this.#current = next;
    return this.#current;
  }

  expire(): void {
    this.#tokenFile?.expire();
  }

  onCertificate(listener: (certificate: ClientCertificate | undefined) => void): () => void {
    const files = this.#certificateFiles;
    if (!files) return () => {};
    const timer = setInterval(() => void files.read().then(listener, () => {}), LOOK_MS).unref();
    return () => clearInterval(timer);
  }
}

class FromPlugin implements Credentials {
  /** Request credentials by the plugin's output. */
  readonly #sent = new WeakMap<PluginCredentials, RequestCredentials>();
  readonly #given = new WeakMap<RequestCredentials, PluginCredentials>();

  constructor(private readonly plugin: ExecCredentials) {}

  async read(): Promise<RequestCredentials> {
    const given = await this.plugin.read();
    const known = this.#sent.get(given);
    if (known) return known;
    const { token, certificate } = given;
    const credentials = { ...(token && { authorization: bearer(token) }), ...(certificate && { certificate }) };
    this.#sent.set(given, credentials);
    this.#given.set(credentials, given);
    return credentials;
  }

  expire(refused: RequestCredentials): void {
    const given = this.#given.get(refused);
    if (given) this.plugin.expire(given);
  }

  onCertificate(listener: (certificate: ClientCertificate | undefined) => void): () => void {
    return this.plugin.onCertificate(listener);
  }
}

/** Whether both are the same to a server. */
export const sameCredentials = (a: RequestCredentials, b: RequestCredentials): boolean =>
  a.authorization === b.authorization && a.certificate === b.certificate;

/** Shared plugins by their input: a user is not asked for a password twice because a process has two clients. */
const plugins = new WeakMap<ExecPlugin, Map<string, ExecCredentials>>();

function sharedPlugin(exec: ExecPlugin, connection: Connection, settings: ExecPluginSettings): ExecCredentials {
  const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression } = connection;
  const told = [server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression];
  const key = exec.provideClusterInfo ? JSON.stringify(told) : '';
  const known = plugins.get(exec) ?? new Map<string, ExecCredentials>();
  plugins.set(exec, known);
  const shared = known.get(key) ?? new ExecCredentials(exec, connection, settings);
  known.set(key, shared);
  return shared;
}

function bearer(token: string): string {
  // Checked here, as an error about the header would have to quote its value.
  if (/[^\t\x20-\x7e\x80-\xff]/.test(token)) throw new CredentialsError('the token holds what no header can');
  return `Bearer ${token}`;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function fitting(cert: string, key: string): ClientCertificate {
  try {
    return clientCertificate(cert, key);
  } catch (error) {
    throw new CredentialsError((error as Error).message);
  }
}
