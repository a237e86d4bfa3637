/** A key as it is configured. */
export interface NamedKey {
  readonly name: string;
  /** Base64. */
  readonly secret: string;
}

/** Keys of one cipher: the first encrypts, all decrypt. */
export interface KeysConfiguration {
  readonly keys: readonly NamedKey[];
}

/** A key management service, reached by way of a plugin beside the server. */
export interface KmsConfiguration {
  /** `v2`; `v1` where nothing is said. */
  readonly apiVersion: string;
  readonly name: string;
  /** As it stands there: of no use in v2. */
  readonly cacheSize?: number;
  /** `unix://` and the path of a socket. */
  readonly endpoint: string;
  /** Of one call, ms. */
  readonly timeout: number;
}

/** One of them is set. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: Record<string, never>;
  readonly kms?: KmsConfiguration;
}

/** What some resources are encrypted with: by the first, and read by any. */
export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderConfiguration[];
}

/** An EncryptionConfiguration, with its defaults. */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}
