import { BOOL, listOf, mapOf, objectOf, STRING } from '../types/type.js';
import { ValueList } from '../values/lists.js';
import { ValueMap } from '../values/maps.js';
import { Failure, failureOr, Opaque, type Value } from '../values/value.js';
import { globalForm, type Library, methodForm } from './library.js';
import { formatUrl, hostNameOf, type ParsedUrl, parseRequestUrl, portOf, queryOf, UrlError } from './url-parser.js';

const URL_NAME = 'kubernetes.URL';
const URL_TYPE = objectOf(URL_NAME);

class UrlValue extends Opaque {
  override readonly typeName = URL_NAME;

  constructor(readonly parts: ParsedUrl) {
    super();
  }

  override equals(other: Value): boolean | Failure {
    return other instanceof UrlValue ? formatUrl(this.parts) === formatUrl(other.parts) : failureOr(other);
  }
}

function read(text: string): UrlValue | Failure {
  try {
    return new UrlValue(parseRequestUrl(text));
  } catch (error) {
    if (error instanceof UrlError)
      return new Failure(`URL parse error during conversion from string: ${error.message}`);
    throw error;
  }
}

const part = (name: string, id: string, take: (parts: ParsedUrl) => string) => ({
  name,
  forms: [methodForm(id, [URL_TYPE], STRING, (url) => take((url as UrlValue).parts))],
});

const query = (url: Value | undefined): Value =>
  new ValueMap([...queryOf((url as UrlValue).parts)].map(([key, values]) => [key, new ValueList(values)]));

/** Functions on URLs. */
export const URLS_LIBRARY: Library = [
  { name: 'url', forms: [globalForm('string_to_url', [STRING], URL_TYPE, (text) => read(text as string))] },
  {
    name: 'isURL',
    forms: [globalForm('is_url_string', [STRING], BOOL, (text) => !(read(text as string) instanceof Failure))],
  },
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', hostNameOf),
  part('getPort', 'url_get_port', portOf),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => path),
  { name: 'getQuery', forms: [methodForm('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), query)] },
];
