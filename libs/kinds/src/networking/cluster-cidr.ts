import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { countAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { joined, NONE, orNone } from '../values/text.js';

export const clusterCidr: KindDeclaration = {
  generation: true,
  row: (object) => ({
    PerNodeHostBits: String(countAt(object, 'spec', 'perNodeHostBits')),
    IPv4: orNone(textAt(object, 'spec', 'ipv4')),
    IPv6: orNone(textAt(object, 'spec', 'ipv6')),
    NodeSelector: nodeSelector(object),
  }),
};

/** Terms are alternatives, the requirements of one all hold. */
function nodeSelector(object: ApiObject): string {
  const terms = objectsAt(object, 'spec', 'nodeSelector', 'nodeSelectorTerms').map((term) =>
    objectsAt(term, 'matchExpressions')
      .map((each) => `${textAt(each, 'key')} ${textAt(each, 'operator')} [${stringsAt(each, 'values').join(' ')}]`)
      .join(','),
  );
  return terms.length === 0 ? NONE : joined(terms, ' OR ');
}
