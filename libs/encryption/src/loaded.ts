import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseYaml } from '@orch/codec';
import type { Clock } from '@orch/runtime';
import type { BodyCodec } from '@orch/storage';
import { BodyEncryption, IDENTITY, type Provider } from './body-encryption.js';
import { AesCbcCipher } from './ciphers/aes-cbc.js';
import { AesGcmCipher } from './ciphers/aes-gcm.js';
import { loadSodium, SecretboxCipher, type Sodium } from './ciphers/secretbox.js';
import type { EncryptionConfiguration, ProviderConfiguration } from './configuration/configuration.js';
import { readEncryptionConfiguration } from './configuration/read.js';
import { ResourceRules } from './configuration/rules.js';
import { configurationErrors, type GroupNames } from './configuration/validation.js';
import { KeyedProvider } from './keyed-provider.js';
import { KmsClient } from './kms/kms-client.js';
import { KmsProvider } from './kms/kms-provider.js';
import type { EncryptionObserver } from './observer.js';

/** Dependencies for loading a configuration. */
export interface LoadSettings {
  readonly names: GroupNames;
  /** Encoding of unencrypted bodies in the database. */
  readonly bodies: BodyCodec;
  readonly observer: EncryptionObserver;
  /** Called for unhealthy key management services. */
  readonly onError: (error: Error) => void;
  readonly clock?: Clock;
}

/** A decoded file. */
interface EncryptionFile {
  readonly configuration: EncryptionConfiguration;
  /** Hash of the content. */
  readonly hash: string;
}

/** @throws Error that names the file, and contains nothing of the keys in it */
export async function readEncryptionFile(path: string, names: GroupNames): Promise<EncryptionFile> {
  const named = `encryption provider configuration file ${JSON.stringify(path)}`;
  const data = await readFile(path).catch((cause: Error) => {
    throw new Error(`error while parsing file: error opening ${named}: ${cause.message}`, { cause });
  });
  if (data.length === 0) throw new Error(`error while parsing file: ${named} is empty`);
  const configuration = decoded(data, named);
  const errors = configurationErrors(configuration, names).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > 0)
    throw new Error(`error while parsing file: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`);
  return { configuration, hash: createHash('sha256').update(data).digest('hex') };
}

/** Decodes a file. The error of a parser may quote the text, which holds keys, so it is not reported. */
function decoded(data: Buffer, named: string): EncryptionConfiguration {
  let value: unknown;
  try {
    ({ value } = parseYaml(data));
  } catch {
    throw new Error(`error while parsing file: error decoding ${named}: it is neither YAML nor JSON`);
  }
  try {
    return readEncryptionConfiguration(value);
  } catch (cause) {
    throw new Error(`error while parsing file: error decoding ${named}: ${(cause as Error).message}`, { cause });
  }
}

/** Ciphers and services of one configuration. */
export class LoadedEncryption {
  readonly cipher: BodyEncryption;
  readonly #services: KmsProvider[] = [];
  /** Maximum milliseconds of calls to all services. */
  readonly #patience: number;

  /** @throws Error for rules that hide others */
  static async of(configuration: EncryptionConfiguration, settings: LoadSettings): Promise<LoadedEncryption> {
    const all = configuration.resources.flatMap(({ providers }) => providers);
    const sodium = all.some(({ secretbox }) => secretbox) ? await loadSodium() : undefined;
    return new LoadedEncryption(configuration, settings, sodium);
  }

  /** @param sodium set if any provider is a secretbox */
  private constructor(
    { resources }: EncryptionConfiguration,
    private readonly settings: LoadSettings,
    private readonly sodium: Sodium | undefined,
  ) {
    const { bodies, observer } = settings;
    this.rules = new ResourceRules<Provider>();
    let patience = 0;
    try {
      for (const each of resources) {
        const providers = each.providers.map((provider) => this.#providerOf(provider));
        for (const { kms } of each.providers) patience += kms?.timeout ?? 0;
        for (const resource of each.resources) this.rules.add(resource, providers);
      }
    } catch (cause) {
      this.close();
      throw new Error(`error while building transformers: ${(cause as Error).message}`, { cause });
    }
    this.#patience = patience;
    this.cipher = new BodyEncryption({ rules: this.rules, bodies, observer });
  }

  /** Providers by type. */
  readonly rules: ResourceRules<Provider>;

  /** Milliseconds for which operations in progress may still need the services. */
  get grace(): number {
    return 2 * this.#patience;
  }

  /** Checks all services, now and periodically. Never rejects. */
  async start(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.start()));
  }

  /** Whether all services are healthy. @throws Error that says which are not */
  async check(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#services.map((service) => service.check()));
    const problems = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [`kms-provider-${i}: ${(outcome.reason as Error).message}`] : [],
    );
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  }

  close(): void {
    for (const service of this.#services) service.close();
  }

  /** @throws Error where none is made of it: it is not to be taken for `identity`, which encrypts nothing */
  #providerOf(provider: ProviderConfiguration): Provider {
    const { kms, aesgcm, aescbc, secretbox, identity } = provider;
    const { sodium } = this;
    if (aesgcm) return new KeyedProvider('aesgcm', aesgcm.keys, (name, key) => new AesGcmCipher(name, key));
    if (aescbc) return new KeyedProvider('aescbc', aescbc.keys, (name, key) => new AesCbcCipher(name, key));
    if (secretbox && sodium)
      return new KeyedProvider('secretbox', secretbox.keys, (name, key) => new SecretboxCipher(name, key, sodium));
    if (identity) return IDENTITY;
    if (!kms) throw new Error(`there is no provider of type ${Object.keys(provider).join()}`);
    const { observer, onError, clock } = this.settings;
    const { name, endpoint, timeout } = kms;
    const client = new KmsClient({ name, endpoint, timeout, observer });
    const service = new KmsProvider({ name, client, observer, onError, ...(clock && { clock }) });
    this.#services.push(service);
    return service;
  }
}
