/** Makes the anchor of a heading as GitHub makes it, so that one link works in the repository and on the site. */
export function slugOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Text of a heading as its anchor is made from: without the marks of code, emphasis and links. */
export const plainHeading = (markdown) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
