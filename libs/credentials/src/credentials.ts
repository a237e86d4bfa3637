import {
  type Authenticator,
  audienceAgnostic,
  createAuthenticator,
  requestHeaderNames,
  TokenFileAuthenticator,
  type TokenVerifier,
} from '@orch/authentication';
import type { Names } from '@orch/machinery';
import { FileWatch, type Logger } from '@orch/runtime';
import type { CredentialOptions } from './credential-options.js';
import { type CredentialSet, credentialFiles, readCredentials } from './credential-set.js';

/** Interval at which files are read though no change was notified, and certificates of `--cert-dir` are renewed, ms. */
const LOOK_MS = 60_000;

interface CredentialSettings {
  readonly options: CredentialOptions;
  readonly names: Names;
  readonly logger: Logger;
  /** Called for each request authenticated by a client certificate, with the milliseconds until that expires. */
  readonly certificateAccepted?: (left: number) => void;
  /** Audiences of this API in tokens. Default: none, and tokens need not name one. */
  readonly audiences?: readonly string[];
  /** Whether api-servers forward watches to this process. Default: false. */
  readonly takesHandedWatches?: boolean;
  /** Further verifiers of tokens, used after the token file. */
  readonly tokenVerifiers?: readonly TokenVerifier[];
}

/** The credentials of a process, reloaded as its files change. */
export class ReloadableCredentials {
  /** Authenticates requests against the current credential set. */
  readonly authenticator: Authenticator;
  readonly #settings: CredentialSettings;
  readonly #watch: FileWatch;
  #current: CredentialSet;
  #onChange: (set: CredentialSet) => Promise<void> = async () => undefined;
  readonly #onTaken = new Set<(set: CredentialSet) => unknown>();

  private constructor(settings: CredentialSettings, current: CredentialSet, tokens: readonly TokenVerifier[]) {
    const { options, certificateAccepted } = settings;
    this.#settings = settings;
    this.#current = current;
    this.authenticator = createAuthenticator({
      trust: () => this.#current.trust,
      requestHeaders: requestHeaderNames(
        options.requestheaderUsernameHeaders,
        options.requestheaderGroupHeaders,
        options.requestheaderExtraHeadersPrefix,
      ),
      tokenVerifiers: tokens,
      // AlwaysAllow grants everything: an anonymous caller would be an administrator.
      anonymous: options.anonymousAuth && !options.authorizationMode.includes('AlwaysAllow'),
      ...(certificateAccepted && { certificateAccepted }),
    });
    this.#watch = new FileWatch({ files: credentialFiles(options), onLook: () => this.#look(), everyMs: LOOK_MS });
  }

  /**
   * Reads the credentials and begins to watch their files.
   * @throws Error as {@link readCredentials} does, and for an invalid token file
   */
  static async open(settings: CredentialSettings): Promise<ReloadableCredentials> {
    const { options, names, audiences = [], takesHandedWatches, tokenVerifiers = [] } = settings;
    const current = await readCredentials(options, names, takesHandedWatches);
    // A static list: it is read once (spec: "Static token file").
    const tokens =
      options.tokenAuthFile === undefined ? [] : [await TokenFileAuthenticator.read(options.tokenAuthFile)];
    for (const warning of tokens.flatMap(({ warnings }) => warnings)) settings.logger.warn(warning);
    const ofFiles = tokens.map((file) => audienceAgnostic(file, audiences));
    return new ReloadableCredentials(settings, current, [...ofFiles, ...tokenVerifiers]);
  }

  /** Credentials that are in effect now. */
  get current(): CredentialSet {
    return this.#current;
  }

  /**
   * Sets the callback that applies each new set before it becomes current; a set for which it throws is rejected. Set
   * once.
   */
  onChange(callback: (set: CredentialSet) => Promise<void>): void {
    this.#onChange = callback;
  }

  /** Calls back with each set that follows, once it is the current one. */
  onTaken(callback: (set: CredentialSet) => unknown): () => void {
    this.#onTaken.add(callback);
    return () => this.#onTaken.delete(callback);
  }

  /** Stops watching the files. */
  close(): void {
    this.#watch.close();
  }

  /** Reads the files again. Files that do not fit together, as a new key before its certificate, change nothing. */
  async #look(): Promise<void> {
    const { options, names, logger, takesHandedWatches } = this.#settings;
    try {
      const next = await readCredentials(options, names, takesHandedWatches);
      if (sameText(next, this.#current)) return;
      await this.#onChange(next);
      this.#current = next;
      logger.info('credentials were reloaded');
      for (const callback of this.#onTaken) await callback(next);
    } catch (error) {
      logger.error('credentials could not be reloaded, the previous ones stay in use', error);
    }
  }
}

/** Text that differs when credentials do. Maps are left out: trusted certificates are in `authorities` too. */
const textOf = ({ trust: _trust, signing, ...set }: CredentialSet): string =>
  JSON.stringify([set, [...signing.signers]]);

const sameText = (a: CredentialSet, b: CredentialSet): boolean => textOf(a) === textOf(b);
