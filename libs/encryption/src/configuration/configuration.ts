/** A configured key. */
export interface NamedKey {
  readonly name: string;
  /** Base64. */
  readonly secret: string;
}

/** Keys of one cipher: the first encrypts, all decrypt. */
export interface KeysConfiguration {
  readonly keys: readonly NamedKey[];
}

/** A key management service, reached through a plugin on the same machine. */
export interface KmsConfiguration {
  /** `v2`; `v1` by default. */
  readonly apiVersion: string;
  readonly name: string;
  /** Value as configured; unused in v2. */
  readonly cacheSize?: number;
  /** `unix://` and the path of a socket. */
  readonly endpoint: string;
  /** Timeout of a call, ms. */
  readonly timeout: number;
}

/** Configuration of a provider; exactly one member is set. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: Record<string, never>;
  readonly kms?: KmsConfiguration;
}

/** Providers of some resources: the first encrypts, all decrypt. */
export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfiguration[];
}

/** An EncryptionConfiguration, with its defaults. */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}
