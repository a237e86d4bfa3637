import type { ApiObject, Status } from '@orch/machinery';

/** Receives what is recorded of a request for the audit log. */
export interface AuditRecord {
  /** Whether the content of the request is recorded. */
  readonly wantsRequest: boolean;
  /** Whether the body of the answer is recorded. */
  readonly wantsAnswer: boolean;
  /** Largest answer that is recorded, bytes. */
  readonly maxBodyBytes: number;
  /** Notes something about the content of the request. */
  noteBody(key: string, text: string): void;
  /** The body of the request has been read as an object of so many bytes; the first that is counts. */
  decoded(object: ApiObject, bytes: number): void;
  /** The body of the request is a patch. */
  patched(bytes: Buffer): void;
  /** The server itself has failed. */
  panicked(error: unknown): void;
  /** The body of the answer, unless it is a Status. */
  answered(contentType: string, body: Buffer): void;
  /** The answer has a body that is longer than is recorded. */
  answerLeftOut(): void;
  /** The answer is a Status. */
  told(status: Status): void;
}
