/**
 * Returns a function that returns true for good once the condition has held: for a condition that is polled and may
 * hold for a moment only, such as that another process leads, which has left work out.
 */
export function latched(asked: () => boolean): () => boolean {
  let was = false;
  return () => {
    was ||= asked();
    return was;
  };
}
