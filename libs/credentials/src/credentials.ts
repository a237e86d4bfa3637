import {
  type Authenticator,
  audienceAgnostic,
  createAuthenticator,
  requestHeaderNames,
  TokenFile,
  type TokenVerifier,
} from '@orch/authentication';
import type { Names } from '@orch/machinery';
import { FileWatch, type Logger } from '@orch/runtime';
import type { CredentialOptions } from './credential-options.js';
import { type CredentialSet, credentialFiles, readCredentials } from './credential-set.js';

/** How often files are read without having been told of a change, and certificates of `--cert-dir` are renewed, ms. */
const LOOK_MS = 60_000;

export interface CredentialSettings {
  readonly options: CredentialOptions;
  readonly names: Names;
  readonly logger: Logger;
  /** Hears of each caller who is let in for a client certificate: milliseconds until it expires. */
  readonly certificateAccepted?: (left: number) => void;
  /** What the API is called in tokens. Default: nothing, and tokens are asked for none. */
  readonly audiences?: readonly string[];
  /** Whether api-servers hand watches to this process. Default false. */
  readonly takesHandedWatches?: boolean;
  /** Who knows tokens beside those of files, asked behind them. */
  readonly tokenVerifiers?: readonly TokenVerifier[];
}

/** What a process shows and believes, followed as its files change. */
export class Credentials {
  /** Authenticates requests against the current credential set. */
  readonly authenticator: Authenticator;
  readonly #settings: CredentialSettings;
  readonly #watch: FileWatch;
  #current: CredentialSet;
  #onChange: (set: CredentialSet) => Promise<void> = async () => undefined;
  readonly #onTaken: ((set: CredentialSet) => unknown)[] = [];

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
      // Who may do everything is to be known.
      anonymous: options.anonymousAuth && !options.authorizationMode.includes('AlwaysAllow'),
      ...(certificateAccepted && { certificateAccepted }),
    });
    this.#watch = new FileWatch({ files: credentialFiles(options), onLook: () => this.#look(), everyMs: LOOK_MS });
  }

  /** Throws as {@link readCredentials} does, and for a file of tokens that cannot be used. */
  static async open(settings: CredentialSettings): Promise<Credentials> {
    const { options, names, audiences = [], takesHandedWatches, tokenVerifiers = [] } = settings;
    const current = await readCredentials(options, names, takesHandedWatches);
    // A static list: it is read once (spec: "Static token file").
    const tokens = options.tokenAuthFile === undefined ? [] : [await TokenFile.read(options.tokenAuthFile)];
    for (const warning of tokens.flatMap(({ warnings }) => warnings)) settings.logger.warn(warning);
    const ofFiles = tokens.map((file) => audienceAgnostic(file, audiences));
    return new Credentials(settings, current, [...ofFiles, ...tokenVerifiers]);
  }

  /** Credentials that are in effect now. */
  get current(): CredentialSet {
    return this.#current;
  }

  /** Calls back with each set that follows, before it is the current one; one that is thrown upon is not taken. Set once. */
  onChange(callback: (set: CredentialSet) => Promise<void>): void {
    this.#onChange = callback;
  }

  /** Calls back with each set that follows, once it is the current one. */
  onTaken(callback: (set: CredentialSet) => unknown): void {
    this.#onTaken.push(callback);
  }

  /** Stops watching the files. */
  close(): void {
    this.#watch.close();
  }

  /** Files that do not fit, as when a key is there and its certificate is not yet, leave everything as it was. */
  async #look(): Promise<void> {
    const { options, names, logger, takesHandedWatches } = this.#settings;
    try {
      const next = await readCredentials(options, names, takesHandedWatches);
      if (sameText(next, this.#current)) return;
      await this.#onChange(next);
      this.#current = next;
      logger.info('credentials were read anew');
      for (const callback of this.#onTaken) await callback(next);
    } catch (error) {
      logger.error('credentials cannot be read anew, those before stay', error);
    }
  }
}

/** Maps are left out: what is believed stands in `authorities` too. */
const textOf = ({ trust: _trust, signing, ...set }: CredentialSet): string =>
  JSON.stringify([set, [...signing.signers]]);

const sameText = (a: CredentialSet, b: CredentialSet): boolean => textOf(a) === textOf(b);
