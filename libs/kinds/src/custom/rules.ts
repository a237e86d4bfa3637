import { type ApiObject, memberOf, type Names } from '@orch/machinery';
import { isSame } from '@orch/schema';
import { deriveRules, type RuledDefinition } from '../rules/derive.js';
import type { KindDeclaration, KindRules } from '../rules/kind-rules.js';
import { hasStatusSubresource, keepDesired } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { ensureObject, takeFrom } from '../values/fields.js';
import type { PrinterColumns } from './printer-columns.js';
import type { CustomScale } from './scale.js';
import type { CustomValidator } from './validator.js';

/** The parts that the rules of a version of a definition are made of. */
interface CustomParts {
  readonly validator: CustomValidator;
  readonly printed: PrinterColumns;
  /** The scale of objects that have one. */
  readonly scale: CustomScale | undefined;
  /** Readers of the fields that field selectors can name, by name. */
  readonly selectable: Readonly<Record<string, (object: ApiObject) => string>>;
}

/** The rules of one version of a definition. */
export function customRules(
  definition: RuledDefinition,
  { validator, printed, scale, selectable }: CustomParts,
  names: Names,
  settings: KindSettings,
): KindRules {
  const separates = hasStatusSubresource(definition);
  const declared: KindDeclaration = {
    ...CUSTOM,
    generation: { first: 1, rises: changedOutside(separates ? DESCRIBING : TYPE) },
    ...(scale && { scale }),
    selectableFields: selectable,
  };
  return {
    ...deriveRules(definition, declared, names, settings),
    validateCreate: (object, found) => validator.errors(object, undefined, false, found),
    validateUpdate: (object, old, subresource, found) => validator.errors(object, old, subresource === 'status', found),
    cells: (object, now) => [object.metadata?.name ?? '', ...printed.cells(object, now)],
  };
}

/** The declaration that all custom kinds share. */
const CUSTOM: KindDeclaration = {
  unconditionalUpdate: false,
  freeFinalizers: true,
  subresources: { status: keepAllButStatus },
  resetFields: { status: [['spec']] },
};

const TYPE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const DESCRIBING: ReadonlySet<string> = new Set([...TYPE, 'status']);
/** Members of metadata that a write has of its own, whatever it changes. */
const OF_WRITE: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion']);

/** Whether anything but some members differs; an empty list or object is not an absent one. */
const changedOutside =
  (members: ReadonlySet<string>) =>
  (object: ApiObject, old: ApiObject): boolean =>
    [...new Set([...Object.keys(object), ...Object.keys(old)])].some(
      (name) => !members.has(name) && !isSame(memberOf(object, name), memberOf(old, name)),
    );

/** All but the status of `object` becomes that of `old`, metadata too. */
function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  keepDesired(object, old);
  const [metadata, before] = [ensureObject(object, 'metadata'), old.metadata ?? {}];
  for (const name of new Set([...Object.keys(metadata), ...Object.keys(before)])) {
    if (!OF_WRITE.has(name)) takeFrom(metadata, before, name);
  }
}
