import protobuf from 'protobufjs';
import type { FieldDescriptor } from '../../libs/schema/src/descriptor.js';
import { flagOption, textOption } from './options.js';

type PatchStrategy = NonNullable<FieldDescriptor['patch']>[number];

/** Reads a field; `typeOf` translates the type's name. */
export function readField(field: protobuf.Field, typeOf: (name: string) => string): FieldDescriptor {
  const required = flagOption(field, 'required') ?? false;
  const omitEmpty = flagOption(field, 'omit_empty') ?? !required;
  const single = !field.repeated && !(field instanceof protobuf.MapField);
  const value = textOption(field, 'default');
  const type = typeOf(field.type);
  const allowed = textOption(field, 'enum');
  return {
    name: jsonName(field),
    type: field.repeated ? `[]${type}` : field instanceof protobuf.MapField ? `{}${type}` : type,
    number: field.id,
    ...(field.comment && { doc: field.comment.replace(/\s*\n\s*/g, ' ').trim() }),
    ...(flagOption(field, 'inline') && { inline: true }),
    ...(single && field.options?.proto3_optional && { pointer: true }),
    ...(required && { required }),
    ...(omitEmpty && { omitEmpty }),
    ...(value !== undefined && { default: single && field.type === 'string' ? value : JSON.parse(value) }),
    ...(allowed !== undefined && { enum: allowed.split('|') }),
    ...listOption(field),
    ...mapOption(field),
    ...patchOption(field),
  };
}

const jsonName = (field: protobuf.Field): string => {
  const given: unknown = field.options?.json_name;
  return typeof given === 'string' ? given : field.name;
};

function listOption(field: protobuf.Field): Pick<FieldDescriptor, 'list' | 'keys'> {
  const text = textOption(field, 'list');
  if (text === undefined) return {};
  if (text === 'atomic' || text === 'set') return { list: text };
  const [list, keys] = text.split(':');
  if (list !== 'map' || !keys) throw new Error(`${field.fullName}: list must be atomic, set or map:keys`);
  return { list, keys: keys.split(',') };
}

function mapOption(field: protobuf.Field): Pick<FieldDescriptor, 'map'> {
  const map = textOption(field, 'map');
  if (map === undefined) return {};
  if (map !== 'atomic' && map !== 'granular') throw new Error(`${field.fullName}: map must be atomic or granular`);
  return { map };
}

function patchOption(field: protobuf.Field): Pick<FieldDescriptor, 'patch' | 'mergeKey'> {
  const text = textOption(field, 'patch');
  if (text === undefined) return {};
  const [strategies = '', mergeKey] = text.split(':');
  const patch = strategies.split(',').map((strategy): PatchStrategy => {
    if (strategy !== 'merge' && strategy !== 'replace' && strategy !== 'retainKeys') {
      throw new Error(`${field.fullName}: no patch strategy ${strategy}`);
    }
    return strategy;
  });
  return { patch, ...(mergeKey && { mergeKey }) };
}
