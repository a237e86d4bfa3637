/** Reason for which a pod cannot have CPUs or memory for itself; it has failed then. */
export interface PinningRefusal {
  /** Reason of the pod's status. */
  readonly reason: string;
  /** Message of the pod's status. */
  readonly message: string;
}

/** Thrown where a container does not fill whole cores. */
export class SmtAlignmentError extends Error {
  override name = 'SmtAlignmentError';
}

/** Returns the refusal that an error of an allocation stands for. */
export function refusalOf(error: unknown): PinningRefusal {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof SmtAlignmentError
    ? { reason: 'SMTAlignmentError', message: `SMT Alignment Error: ${text}` }
    : { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${text}, which is unexpected` };
}
