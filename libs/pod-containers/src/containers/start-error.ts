/** Reasons for which a container could not be started; they stand in its status. */
export type StartFailure =
  | 'CrashLoopBackOff'
  | 'ErrImagePull'
  | 'ImagePullBackOff'
  | 'ErrImageNeverPull'
  | 'InvalidImageName'
  | 'ImageInspectError'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError'
  | 'PostStartHookError';

/** Thrown for a container that could not be started; it is tried again. */
export class StartError extends Error {
  override readonly name = 'StartError';

  /**
   * @param reason reason of the container's waiting state
   * @param retryMs milliseconds after which it is worth another attempt; undefined for the usual wait
   */
  constructor(
    readonly reason: StartFailure,
    message: string,
    readonly retryMs?: number,
  ) {
    super(message);
  }
}

/** Returns the message of any thrown value; of the runtime's errors without the words of its protocol. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'description' in error && typeof error.description === 'string' ? error.description : error.message;
}
