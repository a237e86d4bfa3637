/** Bounds on the items that are worked on at a time. */
export interface AtATime<T> {
  /** Most items at a time. */
  readonly items: number;
  /** Most bytes of them together; a larger item is worked on alone. */
  readonly bytes: number;
  /** Size of an item in bytes, counted against `bytes`. */
  readonly sizeOf: (item: T) => number;
}

/**
 * Works on every item, within the bounds at a time. After a failure no more work is begun, and the work under way is
 * awaited.
 * @throws the first failure
 */
export async function inParallel<T>(
  pages: AsyncIterable<readonly T[]>,
  { items, bytes, sizeOf }: AtATime<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let [running, held] = [0, 0];
  let failure: { readonly error: unknown } | undefined;
  let wake = (): void => undefined;
  const begin = async (item: T): Promise<void> => {
    const size = sizeOf(item);
    running++;
    held += size;
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
    running--;
    held -= size;
    wake();
  };
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await new Promise<void>((resolve) => (wake = resolve));
  };
  const hasRoomFor = (item: T): boolean => running === 0 || (running < items && held + sizeOf(item) <= bytes);
  try {
    for await (const page of pages) {
      for (const item of page) {
        await until(() => hasRoomFor(item));
        if (failure) break;
        void begin(item);
      }
      if (failure) break;
    }
  } finally {
    await until(() => running === 0);
  }
  if (failure) throw failure.error;
}

/** Yields items that are all there already as one page for {@link inParallel}. */
export async function* onePage<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}
