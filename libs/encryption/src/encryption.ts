import { FileWatch, type Logger, sleep, systemClock } from '@orch/runtime';
import { type BodyCipher, type Key, type TypeName, typeText } from '@orch/storage';
import { LoadedEncryption, type LoadSettings, readEncryptionFile } from './loaded.js';

/** Milliseconds between checks of the file, beside change notifications. */
const LOOK_MS = 10_000;
/** Least milliseconds to wait for the services of a new configuration. */
const LEAST_PATIENCE = 10_000;
const PATIENCE_STEP = 100;

/** Encryption settings of a process. */
export interface EncryptionSettings extends Omit<LoadSettings, 'onError'> {
  /** Path of an EncryptionConfiguration. */
  readonly file: string;
  /** Whether it is read again when it changes. */
  readonly reloads: boolean;
  /** Logs reloads, unhealthy services, and types that wildcards leave out. */
  readonly logger: Logger;
  /** Called when the file was read again, or could not be used. */
  readonly onReload?: (failed: boolean) => void;
}

/**
 * Encryption configured by a file, which is read again when it changes: an unusable one is reported, and the previous
 * configuration stays in use. A new configuration takes effect only once its key management services are healthy.
 */
export class Encryption implements BodyCipher {
  readonly #watch: FileWatch | undefined;
  readonly #stopping = new AbortController();
  /**
   * Beside the current one: a configuration whose services are waited for, and previous ones whose services calls in
   * progress may still need.
   */
  readonly #others = new Set<LoadedEncryption>();
  #hash: string;
  /** Whether the last file is unusable. */
  #failed = false;

  private constructor(
    private readonly settings: EncryptionSettings,
    private readonly load: LoadSettings,
    private loaded: LoadedEncryption,
    hash: string,
  ) {
    this.#hash = hash;
    const { file, reloads } = settings;
    if (reloads) this.#watch = new FileWatch({ files: [file], onLook: () => this.#look(), everyMs: LOOK_MS });
  }

  /**
   * Services may be unavailable: operations that need them fail until they are. @throws Error that says what is wrong
   * with the file
   */
  static async open(settings: EncryptionSettings): Promise<Encryption> {
    const { file, names, logger } = settings;
    const onError = (error: Error) => logger.error('kms plugin failed health check probe', error);
    const load = { ...settings, onError };
    const { configuration, hash } = await readEncryptionFile(file, names);
    const loaded = await LoadedEncryption.of(configuration, load);
    await loaded.start();
    const encryption = new Encryption(settings, load, loaded, hash);
    encryption.#tellLeftOut();
    return encryption;
  }

  /** See {@link BodyCipher.seal}. @throws UnsealableBodyError */
  seal(type: TypeName, key: Key, body: Buffer): Buffer | undefined {
    return this.loaded.cipher.seal(type, key, body);
  }

  /** See {@link BodyCipher.open}. @throws UnreadableBodyError, also as the promise */
  open(type: TypeName, key: Key, stored: Buffer): Buffer | Promise<Buffer> {
    return this.loaded.cipher.open(type, key, stored);
  }

  /** Whether the configuration has a rule for a type. */
  concerns(type: TypeName): boolean {
    return this.loaded.cipher.concerns(type);
  }

  /** Whether a stored form is the one that its body would get now. */
  isCurrent(type: TypeName, key: Key, stored: Buffer): boolean {
    return this.loaded.cipher.isCurrent(type, key, stored);
  }

  /** Whether all key management services are healthy. @throws Error that says which are not */
  check(): Promise<void> {
    return this.loaded.check();
  }

  /** Stops reloading, and closes services, including ones that are waited for: calls to them fail at once. */
  close(): void {
    this.#stopping.abort();
    this.#watch?.close();
    this.loaded.close();
    for (const other of this.#others) other.close();
    this.#others.clear();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { file, names, logger } = this.settings;
    try {
      const { configuration, hash } = await readEncryptionFile(file, names);
      if (this.#stopping.signal.aborted) return;
      // The file is the current configuration again.
      if (hash === this.#hash) return this.#failed ? this.#tell(false) : undefined;
      await this.#replace(await LoadedEncryption.of(configuration, this.load));
      this.#hash = hash;
      logger.v(0)?.info('the encryption configuration was read again', { file });
      this.#tellLeftOut();
      this.#tell(false);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      logger.error('the encryption configuration could not be reloaded, the previous one stays in use', error, {
        file,
      });
      this.#tell(true);
    }
  }

  #tell(failed: boolean): void {
    this.#failed = failed;
    this.settings.onReload?.(failed);
  }

  /** @throws Error when its services are not healthy in time */
  async #replace(next: LoadedEncryption): Promise<void> {
    const { signal } = this.#stopping;
    const deadline = performance.now() + Math.max(LEAST_PATIENCE, next.grace);
    this.#others.add(next);
    // Closed while it was being loaded.
    if (signal.aborted) next.close();
    await next.start();
    for (;;) {
      const problem = await next.check().catch((error: Error) => error);
      if (!problem && !signal.aborted) break;
      if (signal.aborted || performance.now() > deadline) {
        this.#letGo(next);
        throw new Error(`health check for new transformers failed: ${problem?.message ?? 'the server stops'}`);
      }
      await sleep(systemClock, PATIENCE_STEP, signal);
    }
    const before = this.loaded;
    this.loaded = next;
    this.#others.delete(next);
    this.#others.add(before);
    // Operations in progress may still call its services.
    systemClock.after(before.grace, () => this.#letGo(before));
  }

  #letGo(other: LoadedEncryption): void {
    this.#others.delete(other);
    other.close();
  }

  #tellLeftOut(): void {
    const left = this.loaded.rules.leftOut.map(typeText);
    if (left.length === 0) return;
    const what =
      'wildcards of the encryption configuration do not apply to resources that the database itself has to read';
    this.settings.logger.warn(what, { resources: left });
  }
}
