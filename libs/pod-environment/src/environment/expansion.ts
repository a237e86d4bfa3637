/**
 * Replaces `$(NAME)` in a text by the value of that variable; a reference to an unknown one stays as it is. `$$` stands
 * for `$`, so that `$$(NAME)` is no reference.
 * @param lookup returns the value of a variable
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) =>
    name === undefined ? '$' : (lookup(name) ?? found),
  );
}

/** Returns the variables in `$(NAME)` references of a text that are not known. */
export function unknownReferences(text: string, isKnown: (name: string) => boolean): string[] {
  const unknown: string[] = [];
  expand(text, (name) => {
    if (!isKnown(name)) unknown.push(name);
    return '';
  });
  return unknown;
}
