/** Direction of a body. */
export type Direction = 'from_storage' | 'to_storage';

/** Observer of encryption, for metrics. Calls are short and never throw. */
export interface EncryptionObserver {
  /**
   * A body was encrypted or decrypted.
   * @param provider `k8s:enc:aescbc:v1:` and the like, as dashboards know them; `identity`, empty when writing;
   * `unknown`
   * @param ms duration
   */
  transformed?(direction: Direction, provider: string, ms: number, failed: boolean): void;
  /** A key for bodies was generated, or that failed. */
  keyGenerated?(ms: number, failed: boolean): void;
  /** A key was not cached, and its service is called. */
  keyMissed?(): void;
  /** A key management service's key of this id was used. */
  keyUsed?(direction: Direction, provider: string, keyId: string): void;
  /** A service reported that it encrypts with the key of this id. */
  keyReported?(provider: string, keyId: string): void;
  /** A service reported an invalid id. */
  invalidKeyReported?(provider: string, error: 'empty' | 'too_long'): void;
  /** A call to it ended; `code` is one of gRPC. */
  kmsCall?(provider: string, method: string, ms: number, code: string): void;
}
