import { posix } from 'node:path';

/**
 * Makes a plugin of markdown-it for what pages of docs/ hold that a site cannot: links to files of the repository become links below `source`
 * (plain text where it is empty), links of the changelog, which is included, lead to pages, comments are dropped, and text in the form of HTML or of
 * Vue's templates is shown as it is written.
 */
export function repositoryLinks(source) {
  return (markdown) => {
    const { rules } = markdown.renderer;
    const { escapeHtml } = markdown.utils;
    const shown = (tokens, index) => inert(escapeHtml(tokens[index].content.replace(/<!--.*?-->/gs, '')));
    Object.assign(rules, { html_block: shown, html_inline: shown });
    rules.text = (tokens, index) => inert(escapeHtml(tokens[index].content));
    markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
      const folder = posix.dirname(posix.join('docs', env.relativePath ?? ''));
      for (const token of tokens) {
        if (token.children) token.children = withLinks(token.children, folder, source);
        // Indented blocks look like fenced ones, with a button that copies them.
        if (token.type === 'code_block') Object.assign(token, { type: 'fence', tag: 'code', info: 'txt' });
      }
    });
  };
}

/** Keeps Vue from reading braces of a text as an expression. */
const inert = (html) => html.replaceAll('{{', '&#123;&#123;');

/** Inline tokens of a paragraph; links to files outside docs/ lead to the repository or are taken out. */
function withLinks(tokens, folder, source) {
  let removed = 0;
  return tokens.filter((token) => {
    if (token.type === 'link_close' && removed > 0) {
      removed -= 1;
      return false;
    }
    const href = token.type === 'link_open' ? token.attrGet('href') : undefined;
    // As the root of the repository writes it.
    if (href?.startsWith('docs/')) token.attrSet('href', href.slice('docs/'.length));
    const target = href && !href.startsWith('docs/') && outsideOf(folder, href);
    if (!target) return true;
    if (source !== '') token.attrSet('href', `${source}/${target}`);
    else removed += 1;
    return source !== '';
  });
}

/** Path from the root of the repository of a relative link that leaves docs/; undefined for all others. */
function outsideOf(folder, href) {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return undefined;
  const target = posix.join(folder, href);
  return target.startsWith('docs/') ? undefined : target;
}
