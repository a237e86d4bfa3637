import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import protobuf from 'protobufjs';
import type { FileDescriptor, StructDescriptor } from '../../libs/schema/src/descriptor.js';
import { flagOption, numberOption, recordOptions, textOption } from './options.js';
import { readField } from './read-field.js';
import { readResource } from './read-resource.js';

/** Every message under the folder, by full name (`core.v1.Pod`). */
type Messages = ReadonlyMap<string, protobuf.Type>;

interface ParsedFile {
  readonly path: string;
  readonly namespace: protobuf.Namespace;
  readonly messages: readonly protobuf.Type[];
}

/**
 * The declarations under `proto/`, in order of package; files without a group (options, leaves, envelope, feed) give
 * no descriptor of their own.
 * @throws Error naming the declaration that makes no sense.
 */
export function parseProtos(folder: string): readonly FileDescriptor[] {
  const files = protoFiles(folder).map((path) => parseFile(path, relative(folder, path)));
  const messages: Messages = new Map(files.flatMap((file) => file.messages.map((m) => [m.fullName.slice(1), m])));
  const descriptors = files
    .filter((file) => textOption(file.namespace, 'group') !== undefined)
    .map((file) => readFile(file, messages));
  return descriptors.sort((a, b) => (a.package < b.package ? -1 : 1));
}

function protoFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.proto') && name !== join('orch', 'options.proto'))
    .sort()
    .map((name) => join(folder, name));
}

function parseFile(path: string, name: string): ParsedFile {
  const root = new protobuf.Root();
  const parsed = protobuf.parse(readFileSync(path, 'utf8'), root, { keepCase: true, alternateCommentMode: true });
  if (!parsed.package) throw new Error(`${name}: no package`);
  const namespace = root.lookup(parsed.package);
  if (!(namespace instanceof protobuf.Namespace)) throw new Error(`${name}: package ${parsed.package} is empty`);
  const messages = namespace.nestedArray.filter((nested) => nested instanceof protobuf.Type);
  return { path: name, namespace, messages };
}

function readFile(file: ParsedFile, messages: Messages): FileDescriptor {
  const { namespace } = file;
  const id = packageId(namespace.fullName.slice(1));
  if (`${id}.proto` !== file.path.replaceAll('\\', '/')) throw new Error(`${file.path}: its package is ${id}`);
  const version = textOption(namespace, 'version');
  const openapi = textOption(namespace, 'openapi_package');
  if (!version || !openapi) throw new Error(`${file.path}: version or openapi_package is missing`);
  const groupPriority = numberOption(namespace, 'group_priority');
  const versionPriority = numberOption(namespace, 'version_priority');
  return {
    package: id,
    group: textOption(namespace, 'group') ?? '',
    version,
    openapi,
    ...(groupPriority !== undefined && { groupPriority }),
    ...(versionPriority !== undefined && { versionPriority }),
    ...(flagOption(namespace, 'off_by_default') && { offByDefault: true }),
    structs: file.messages
      .filter((message) => flagOption(message, 'bare_list') === undefined)
      .map((message) => readStruct(message, id, messages)),
  };
}

function readStruct(message: protobuf.Type, packageOf: string, messages: Messages): StructDescriptor {
  const struct = textOption(message, 'struct');
  if (struct !== undefined && struct !== 'atomic' && struct !== 'granular') {
    throw new Error(`${message.fullName}: struct must be atomic or granular`);
  }
  const union = textOption(message, 'union');
  if (union !== undefined && !(union in message.fields)) throw new Error(`${message.fullName}: no field ${union}`);
  const typeOf = (name: string) => typeName(name, message, messages);
  const resource = readResource(message, packageOf, (id) => messages.has(id.replace('/', '.')));
  const defaultsAt = recordOptions(message, 'default_at', ['path', 'value']).map(({ path, value }) => ({
    path: String(path),
    value: defaultBelow(message, String(path), String(value), messages),
  }));
  return {
    name: message.name,
    ...(message.comment && { doc: oneLine(message.comment) }),
    ...(flagOption(message, 'typed') && { typed: true }),
    ...(flagOption(message, 'every_group') && { everyGroup: true }),
    ...(flagOption(message, 'json_only') && { jsonOnly: true }),
    ...(flagOption(message, 'custom_json') && { customJson: true }),
    ...(struct && { struct }),
    ...(union && { union }),
    ...(resource && { resource }),
    fields: message.fieldsArray.map((field) => readField(field, typeOf)),
    ...(defaultsAt.length > 0 && { defaultsAt }),
  };
}

/** The type of a field as descriptors write it: a scalar kind, a struct id, or `=[]string` for a bare list. */
function typeName(name: string, context: protobuf.Type, messages: Messages): string {
  if (name in protobuf.types.basic) return name;
  const message = resolve(name, context, messages);
  const scalar = textOption(message, 'scalar');
  if (scalar) return scalar;
  if (flagOption(message, 'bare_list')) return `=[]${message.fieldsArray[0]?.type}`;
  if (!message.parent || textOption(message.parent, 'group') === undefined) {
    throw new Error(`${context.fullName}: ${message.fullName} is of no group-version`);
  }
  return structId(message);
}

/** A name without dots is of the same package, any other is complete. */
function resolve(name: string, context: protobuf.Type, messages: Messages): protobuf.Type {
  const full = name.includes('.') ? name : `${context.parent?.fullName.slice(1)}.${name}`;
  const found = messages.get(full);
  if (!found) throw new Error(`${context.fullName}: no message ${full}`);
  return found;
}

/** Checks the path of a `default_at` and reads its value as the field at its end wants it. */
function defaultBelow(message: protobuf.Type, path: string, text: string, messages: Messages) {
  let at = message;
  const steps = path.split('.');
  for (const step of steps.slice(0, -1)) {
    const field = at.fields[step];
    if (!field || field.repeated || field.map) throw new Error(`${message.fullName}: no path ${path}`);
    at = resolve(field.type, at, messages);
  }
  const last = at.fields[steps.at(-1) ?? ''];
  if (!last) throw new Error(`${message.fullName}: no path ${path}`);
  return last.type === 'string' && !last.repeated ? text : JSON.parse(text);
}

const packageId = (packageName: string) => packageName.replaceAll('.', '/');
const structId = (message: protobuf.Type) => `${packageId(message.parent?.fullName.slice(1) ?? '')}.${message.name}`;
const oneLine = (comment: string) => comment.replace(/\s*\n\s*/g, ' ').trim();
