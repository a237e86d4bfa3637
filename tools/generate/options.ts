import type protobuf from 'protobufjs';

/** The values of one option of ours on a declaration, in order; repeated options stand there once per value. */
function optionValues(declaration: protobuf.ReflectionObject, name: string): readonly unknown[] {
  const key = `(orch.${name})`;
  const parsed = (declaration.parsedOptions ?? []) as readonly Record<string, unknown>[];
  return parsed.filter((option) => key in option).map((option) => option[key]);
}

const single = (declaration: protobuf.ReflectionObject, name: string): unknown => {
  const values = optionValues(declaration, name);
  if (values.length > 1) throw new Error(`${declaration.fullName}: option ${name} is given more than once`);
  return values[0];
};

/** Reads an option that holds text. @throws Error for another type, and for an option given twice */
export function textOption(declaration: protobuf.ReflectionObject, name: string): string | undefined {
  const value = single(declaration, name);
  if (value !== undefined && typeof value !== 'string') throw new Error(`${declaration.fullName}: ${name} is no text`);
  return value;
}

/** Reads an option that holds a boolean. @throws Error for another type, and for an option given twice */
export function flagOption(declaration: protobuf.ReflectionObject, name: string): boolean | undefined {
  const value = single(declaration, name);
  if (value !== undefined && typeof value !== 'boolean') throw new Error(`${declaration.fullName}: ${name} is no flag`);
  return value;
}

/** Reads an option that holds a number. @throws Error for another type, and for an option given twice */
export function numberOption(declaration: protobuf.ReflectionObject, name: string): number | undefined {
  const value = single(declaration, name);
  if (value !== undefined && typeof value !== 'number')
    throw new Error(`${declaration.fullName}: ${name} is no number`);
  return value;
}

/** Reads a message-valued option, whose members must be among `members`. */
export function recordOptions(
  declaration: protobuf.ReflectionObject,
  name: string,
  members: readonly string[],
): readonly Readonly<Record<string, unknown>>[] {
  return optionValues(declaration, name).map((value) => {
    const record = value as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(record).find((member) => !members.includes(member));
    if (unknown !== undefined) throw new Error(`${declaration.fullName}: ${name} has no member ${unknown}`);
    return record;
  });
}

/** Splits text at spaces; undefined for empty text and for other values. */
export const words = (text: unknown): readonly string[] | undefined =>
  typeof text === 'string' && text !== '' ? text.split(' ') : undefined;
