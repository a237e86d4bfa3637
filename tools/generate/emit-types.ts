import { posix } from 'node:path';
import type { FieldDescriptor, FileDescriptor, StructDescriptor } from '../../libs/schema/src/descriptor.js';

const HEADER = '// Generated from proto/ by `npm run generate`. Not to be edited.\n';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  uint32: 'number',
  int64: 'number | bigint',
  uint64: 'number | bigint',
  float: 'number',
  double: 'number',
  bytes: 'string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  rawExtension: 'JsonObject',
  fieldsV1: 'JsonObject',
  json: 'JsonValue',
};

/**
 * A module of interfaces for one package. Every member is optional: code that uses them sees objects that have been
 * read and defaulted, but not yet validated. Structs with a JSON form of their own are any JSON value.
 */
export function emitTypes(file: FileDescriptor): string {
  const body = file.structs.map((struct) => emitStruct(struct, file)).join('\n');
  return `${HEADER}${imports(file, body)}\n${body}`;
}

function imports(file: FileDescriptor, body: string): string {
  const machinery = ['JsonObject', 'JsonValue'].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const packages = new Set(file.structs.flatMap((struct) => struct.fields.flatMap((f) => packageOf(f.type) ?? [])));
  packages.delete(file.package);
  const lines = [...packages].sort().map((name) => {
    const path = posix.relative(posix.dirname(file.package), name);
    return `import type * as ${alias(name)} from '${path.startsWith('.') ? path : `./${path}`}.js';\n`;
  });
  if (machinery.length > 0) lines.unshift(`import type { ${machinery.join(', ')} } from '@orch/machinery';\n`);
  return lines.join('');
}

function emitStruct(struct: StructDescriptor, file: FileDescriptor): string {
  const doc = struct.doc ? `/** ${struct.doc} */\n` : '';
  if (struct.customJson) return `${doc}export type ${struct.name} = JsonValue;\n`;
  const inlined = struct.fields.filter((field) => field.inline).map((field) => tsType(field.type, file));
  const heritage = inlined.length > 0 ? ` extends ${inlined.join(', ')}` : '';
  const typed = struct.typed ? '  apiVersion?: string;\n  kind?: string;\n' : '';
  const members = struct.fields.filter((field) => !field.inline).map((field) => emitField(field, file));
  return `${doc}export interface ${struct.name}${heritage} {\n${typed}${members.join('')}}\n`;
}

function emitField(field: FieldDescriptor, file: FileDescriptor): string {
  const doc = field.doc ? `  /** ${field.doc} */\n` : '';
  const name = /^[A-Za-z_]\w*$/.test(field.name) ? field.name : JSON.stringify(field.name);
  return `${doc}  ${name}?: ${tsType(field.type, file, field.enum)};\n`;
}

function tsType(type: string, file: FileDescriptor, allowed?: readonly string[]): string {
  if (type.startsWith('=')) return tsType(type.slice(1), file);
  if (type.startsWith('[]')) {
    const items = tsType(type.slice(2), file, allowed);
    return /[ |]/.test(items) ? `(${items})[]` : `${items}[]`;
  }
  if (type.startsWith('{}')) return `Record<string, ${tsType(type.slice(2), file)}>`;
  const dot = type.lastIndexOf('.');
  if (dot > 0) {
    const packageName = type.slice(0, dot);
    const name = type.slice(dot + 1);
    return packageName === file.package ? name : `${alias(packageName)}.${name}`;
  }
  const scalar = SCALARS[type];
  if (!scalar) throw new Error(`no scalar ${type}`);
  return allowed ? allowed.map((value) => JSON.stringify(value)).join(' | ') : scalar;
}

const packageOf = (type: string): string | undefined => {
  const bare = type.replace(/^(=|\[\]|\{\})+/, '');
  const dot = bare.lastIndexOf('.');
  return dot > 0 ? bare.slice(0, dot) : undefined;
};

const alias = (packageName: string) => packageName.replace('/', '_');
