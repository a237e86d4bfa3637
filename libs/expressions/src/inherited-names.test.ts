import { describe, expect, it } from 'vitest';
import { admissionProgram } from './admission/admission-program.js';
import { admissionScope } from './admission/admission-scope.js';
import { LATER_ENVIRONMENT } from './environment.js';
import { ruleErrors } from './rules/definition.js';
import { fieldAt } from './rules/field-path.js';
import { RuleValidator } from './rules/validator.js';
import { declaredType } from './schema-types/declared-type.js';
import { jsonValue } from './schema-types/json-values.js';
import { readerOf } from './schema-types/reader.js';
import type { SchemaProps } from './schema-types/structural-schema.js';
import { Dictionary } from './values/value.js';

const rules = (...texts: string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });
const STRING: SchemaProps = { type: 'string' };

/** Names of what every JavaScript object inherits, which are data like any others. */
describe.each(['constructor', 'toString', 'hasOwnProperty'])('a member called %s', (name) => {
  const withMember: SchemaProps = { type: 'object', properties: { [name]: STRING, other: STRING } };
  const without: SchemaProps = {
    ...{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    properties: { other: STRING },
  };
  const dictionaryOf = (value: unknown): Dictionary => {
    if (value instanceof Dictionary) return value;
    throw new Error('no dictionary');
  };

  it('has no value before where the object had none', () => {
    const property = { ...STRING, ...rules('oldSelf == "never"') };
    const validator = new RuleValidator({ type: 'object', properties: { [name]: property } }, false);
    expect(validator.validate({ [name]: 'x' }, {}, 'a').errors).toEqual([]);
    expect(validator.validate({ [name]: 'x' }, { [name]: 'y' }, 'a').errors).toHaveLength(1);
  });

  it('is absent where it is not sent', () => {
    const read = readerOf(withMember);
    expect(dictionaryOf(read({})).find(name)).toBeUndefined();
    expect(dictionaryOf(read({ [name]: 'x' })).find(name)).toBe('x');
    expect(dictionaryOf(jsonValue({})).find(name)).toBeUndefined();
    expect(dictionaryOf(jsonValue({ [name]: 'x' })).find(name)).toBe('x');
  });

  it('is not known where the schema does not declare it', () => {
    expect(dictionaryOf(readerOf(without)({ [name]: 'x' })).find(name)).toBeUndefined();
    const declared = declaredType(without, false);
    expect(declared?.kind === 'object' && declared.field(name)).toBeUndefined();
    const known = declaredType(withMember, false);
    expect(known?.kind === 'object' && known.field(name)).toBeDefined();
    const [errors = []] = ruleErrors({ ...without, ...rules(`self.${name} == 'x'`) }, 's');
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(`undefined field '${name}'`)]);
  });

  it('is found by a path only where the schema declares it', () => {
    expect(() => fieldAt(`.${name}`, without)).toThrow('does not refer to a valid field');
    expect(fieldAt(`.${name}`, withMember).names).toEqual([name]);
  });

  it('is none of a request that is admitted, nor the name of a type', () => {
    const scope = admissionScope();
    const { fault } = admissionProgram(`request.${name} == 'x'`, LATER_ENVIRONMENT, scope, undefined);
    expect(fault).toContain(`undefined field '${name}'`);
    expect(scope.hasType?.(name)).toBe(false);
  });
});
