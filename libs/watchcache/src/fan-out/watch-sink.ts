/** Destination of a stream's bytes. */
export interface WatchSink {
  /**
   * Takes a piece of the stream. False asks for no more until `onDrain` calls back; the piece itself has been taken. A
   * socket should decide by its buffered bytes (`writableLength` below a limit), not by its own `write`, which refuses
   * any piece larger than its watermark. Must not call back into the watcher.
   */
  write(bytes: Buffer): boolean;
  /** Same for pieces that belong together; absent if they must be passed as one. */
  writePieces?(pieces: readonly Buffer[]): boolean;
  /**
   * Grows whenever bytes have left the process, which distinguishes a slow client from one that does not read. Absent
   * when unknown: then only drain events show that it is read.
   */
  readonly departures?: number;
  /** Set once. May be called at any time, even when not requested. */
  onDrain(callback: () => void): void;
  /** Ends the stream cleanly, after what has been written. The socket's owner gives up on one that never drains. */
  end(): void;
}

/** Why a stream ended. `closed` is the caller's decision; the others end the sink. */
export type EndReason = 'closed' | 'deadline' | 'drained' | 'expired' | 'unavailable' | 'failed' | 'refused';
