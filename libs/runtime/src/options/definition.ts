interface Described {
  /** Sentence for `--help`, without the default and the unit: those are added. */
  readonly help: string;
  /** A one-letter form (`v` for `-v`). */
  readonly short?: string;
  /** Replacement; using the option prints a warning (spec: deprecation rule 6). */
  readonly deprecated?: string;
}

/** Without a default, the option is required. */
interface Needed {
  readonly required?: true;
}

interface Bounded {
  readonly min?: number;
  readonly max?: number;
}

interface StringOption extends Described, Needed {
  readonly type: 'string';
  readonly default?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** Checks the parsed value. The message of its exception follows the option's name. */
  readonly check?: (value: string) => void;
}

interface IntOption extends Described, Needed, Bounded {
  readonly type: 'int';
  readonly default?: number;
  /** Unit of the number, for `--help`. */
  readonly unit?: string;
}

/** A number with a fraction, as on the command line of Go programs: `0.02`. */
interface FloatOption extends Described, Needed, Bounded {
  readonly type: 'float';
  readonly default?: number;
}

/** Milliseconds in the program, a Go duration on the command line. */
interface DurationOption extends Described, Needed, Bounded {
  readonly type: 'duration';
  readonly default?: number;
}

/** Bytes in the program, a number with an optional suffix (`64Mi`) on the command line. */
interface BytesOption extends Described, Needed, Bounded {
  readonly type: 'bytes';
  readonly default?: number;
}

/** `--x` is `--x=true`; false unless declared otherwise. */
interface BoolOption extends Described {
  readonly type: 'bool';
  readonly default?: boolean;
}

/** Comma-separated, repeatable; the first use replaces the default, later ones add to it. */
export interface ListOption extends Described {
  readonly type: 'list';
  readonly default?: readonly string[];
  /** Whether each use is one entry, commas included. Default false. */
  readonly whole?: boolean;
  /** Whether entries of white space only are kept, for `check` to refuse. Default false: they are dropped. */
  readonly keepsBlanks?: boolean;
  /** The only entries allowed. */
  readonly choices?: readonly string[];
  /** Checks the whole list, once every use has been read. The message of its exception follows the option's name. */
  readonly check?: (value: readonly string[]) => void;
}

/** `key=value` pairs, comma-separated, repeatable; for a repeated key the last value is used. */
interface MapOption extends Described {
  readonly type: 'map';
  /** Checks the whole map, once every use has been read. Throws OptionsError. */
  readonly check?: (value: ReadonlyMap<string, string>) => void;
}

/** A declared option, discriminated by `type`. */
export type OptionDefinition =
  | StringOption
  | IntOption
  | FloatOption
  | DurationOption
  | BytesOption
  | BoolOption
  | ListOption
  | MapOption;

/** Definitions by the name on the command line, without the dashes: `secure-port`. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

type Scalar<D, T> = D extends { default: unknown } | { required: true } ? T : T | undefined;

/**
 * Type of an option's value: undefined is possible only when there is neither a default nor `required`. Maps and lists
 * may be empty.
 */
export type OptionValue<D extends OptionDefinition> = D extends { type: 'string'; choices: readonly (infer C)[] }
  ? Scalar<D, C>
  : D extends { type: 'string' }
    ? Scalar<D, string>
    : D extends { type: 'bool' }
      ? boolean
      : D extends { type: 'list' }
        ? readonly string[]
        : D extends { type: 'map' }
          ? ReadonlyMap<string, string>
          : Scalar<D, number>;

/** `secure-port` as `securePort`. */
type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The values by camel-case name: `secure-port` is `values.securePort`. */
export type OptionValues<D extends OptionDefinitions> = {
  readonly [Name in keyof D & string as CamelCase<Name>]: OptionValue<D[Name]>;
};
