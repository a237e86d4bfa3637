import type { ServerPlace } from '../connection.js';
import { CredentialsError } from '../errors.js';
import type { ClientCertificate } from './certificate.js';
import { type PluginCredentials, readCredential, requestFor } from './exec-credential.js';
import { type ExecPlugin, pluginVariable } from './exec-plugin.js';
import { isInteractive, type PluginLimits, runPlugin } from './run-plugin.js';

/** Settings common to all users of a plugin. */
export interface ExecPluginSettings extends PluginLimits {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A plugin's credentials, until they expire or the server refuses them. The plugin runs once at a time, however many
 * wait for it; a failure is reported to all who wait, and the next call runs it again.
 */
export class ExecCredentials {
  #current: PluginCredentials | undefined;
  #running: Promise<PluginCredentials> | undefined;
  readonly #onCertificate = new Set<(certificate: ClientCertificate | undefined) => void>();

  readonly #variable: string;

  /** @throws CredentialsError when the plugin uses no known version */
  constructor(
    private readonly plugin: ExecPlugin,
    private readonly place: ServerPlace,
    private readonly settings: ExecPluginSettings,
  ) {
    const variable = pluginVariable(plugin.apiVersion);
    if (!variable) throw new CredentialsError(`exec plugin: invalid apiVersion ${JSON.stringify(plugin.apiVersion)}`);
    this.#variable = variable;
  }

  /** Returns the valid credentials, or runs the plugin. @throws CredentialsError */
  async read(): Promise<PluginCredentials> {
    const { now } = this.settings;
    if (this.#current && now() <= (this.#current.expiresAt ?? Number.POSITIVE_INFINITY)) return this.#current;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Reports that the server has refused these: they are not used any more. */
  expire(refused: PluginCredentials): void {
    if (this.#current === refused) this.#current = { ...refused, expiresAt: Number.NEGATIVE_INFINITY };
  }

  /** Calls `listener` whenever the plugin returns another certificate. Returns a function that removes it. */
  onCertificate(listener: (certificate: ClientCertificate | undefined) => void): () => void {
    this.#onCertificate.add(listener);
    return () => this.#onCertificate.delete(listener);
  }

  async #run(): Promise<PluginCredentials> {
    const { plugin, place, settings } = this;
    const before = this.#current?.certificate;
    try {
      const interactive = isInteractive(plugin, settings);
      const variables = { [this.#variable]: requestFor(plugin, place, interactive) };
      const given = readCredential(await runPlugin(plugin, variables, interactive, settings), plugin);
      const same = before && before.cert === given.certificate?.cert && before.key === given.certificate.key;
      this.#current = same ? { ...given, certificate: before } : given;
    } catch (error) {
      throw new CredentialsError(`getting credentials: ${(error as Error).message}`);
    }
    const { certificate } = this.#current;
    if (before !== certificate) for (const listener of this.#onCertificate) listener(certificate);
    return this.#current;
  }
}
