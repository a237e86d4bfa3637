/**
 * True from when it is first true: of what is asked now and then and may be so for a moment only, such as that another
 * process leads, by which work was left out.
 */
export function latched(asked: () => boolean): () => boolean {
  let was = false;
  return () => {
    was ||= asked();
    return was;
  };
}
