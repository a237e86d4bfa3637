import type { ApiObject, Status } from '@orch/machinery';

/** Receives the data of a request for the audit log. */
export interface AuditRecord {
  /** Whether the content of the request is recorded. */
  readonly wantsRequest: boolean;
  /** Whether the body of the response is recorded. */
  readonly wantsAnswer: boolean;
  /** Maximum size of a recorded response, bytes. */
  readonly maxBodyBytes: number;
  /** Adds an annotation about the content of the request. */
  noteBody(key: string, text: string): void;
  /** Records the body of the request, read as an object of so many bytes; only the first call counts. */
  decoded(object: ApiObject, bytes: number): void;
  /** Records the body of the request, a patch. */
  patched(bytes: Buffer): void;
  /** Records a failure of the server itself. */
  panicked(error: unknown): void;
  /** Records the body of the response, unless it is a Status. */
  answered(contentType: string, body: Buffer): void;
  /** Records that the response has a body that is longer than the limit. */
  answerLeftOut(): void;
  /** Records the Status that is the response. */
  answeredStatus(status: Status): void;
}
