import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrayLiteralExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIfStatement,
  isNumericLiteral,
  isObjectLiteralExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isSpreadElement,
  isThrowStatement,
} from 'typescript/unstable/ast/is';

/** A replacement of a part of a text. Offsets are in UTF-16 units. */
export interface Replacement {
  /** Offset of the first replaced unit. */
  readonly start: number;
  /** Offset behind the last replaced unit. */
  readonly end: number;
  /** Text to be written there. */
  readonly text: string;
}

/** Reads text of the file that is mutated. */
export interface SourceText {
  /** Returns the offset at which a node begins, without comments before it. */
  start(node: Node): number;
  /** Returns the text of a node. */
  text(node: Node): string;
}

/** Returns the mutations of a node; each replacement alone makes the program wrong. */
type Operator = (node: Node, source: SourceText) => readonly Replacement[];

const SWAPPED: Readonly<Partial<Record<SyntaxKind, string>>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
  [SyntaxKind.PlusEqualsToken]: '-=',
  [SyntaxKind.MinusEqualsToken]: '+=',
};
const LOGICAL: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);
/** Methods that are taken for each other. */
const CONFUSED: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};

/** Bounds off by one, and comparisons and sums the other way round. */
const swapped: Operator = (node, source) => {
  if (!isBinaryExpression(node)) return [];
  const { operatorToken } = node;
  const text = SWAPPED[operatorToken.kind];
  return text === undefined || (text.endsWith('==') && isCondition(node)) ? [] : [instead(operatorToken, source, text)];
};

/** Replaces a logical expression by one operand alone. */
const operandLeftOut: Operator = (node, source) => {
  if (!isBinaryExpression(node) || !LOGICAL.has(node.operatorToken.kind)) return [];
  const { left, right, operatorToken } = node;
  const isDefault = operatorToken.kind === SyntaxKind.QuestionQuestionToken;
  return (isDefault ? [left] : [left, right]).map((kept) => instead(node, source, source.text(kept)));
};

const negationLeftOut: Operator = (node, source) =>
  isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken && !isCondition(node)
    ? [instead(node, source, `!!${source.text(node.operand)}`)]
    : [];

/** A condition that always holds, or never. */
const conditionSettled: Operator = (node, source) => {
  const condition = conditionOf(node);
  return condition ? ['true', 'false'].map((text) => instead(condition, source, text)) : [];
};

/** Leaves out a statement: a call for its effect, or a throw. */
const statementLeftOut: Operator = (node, source) => {
  if (isThrowStatement(node)) return [instead(node, source, ';')];
  if (!isExpressionStatement(node)) return [];
  const { expression } = node;
  const isSuper = isCallExpression(expression) && expression.expression.kind === SyntaxKind.SuperKeyword;
  const isCall = isCallExpression(expression) || expression.kind === SyntaxKind.AwaitExpression;
  return isCall && !isSuper ? [instead(node, source, ';')] : [];
};

/** Leaves a spread out of an object or array literal. */
const spreadLeftOut: Operator = (node, source) => {
  if (isObjectLiteralExpression(node))
    return node.properties.filter(isSpreadAssignment).map((each) => instead(each, source, '...{}'));
  if (isArrayLiteralExpression(node))
    return node.elements.filter(isSpreadElement).map((each) => instead(each, source, '...[]'));
  return [];
};

/** Off by one; and so large that it bounds nothing. */
const numberChanged: Operator = (node, source) => {
  if (!isNumericLiteral(node)) return [];
  const value = Number(node.text);
  const large = value >= 100 ? ['Number.MAX_SAFE_INTEGER'] : [];
  return [String(value + 1), ...large].map((text) => instead(node, source, text));
};

const booleanChanged: Operator = (node, source) => {
  if (node.kind === SyntaxKind.TrueKeyword) return [instead(node, source, 'false')];
  return node.kind === SyntaxKind.FalseKeyword ? [instead(node, source, 'true')] : [];
};

/**
 * A method that does the same for something else; members that objects inherit taken for their own; nothing filtered.
 */
const methodConfused: Operator = (node, source) => {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return [];
  const { expression: callee, arguments: given } = node;
  const { name, expression: of } = callee;
  const other = Object.hasOwn(CONFUSED, name.text) ? CONFUSED[name.text] : undefined;
  if (other !== undefined) return [instead(name, source, other)];
  const [object, member] = given;
  if (name.text === 'hasOwn' && object && member)
    return [instead(node, source, `(${source.text(member)} in ${source.text(object)})`)];
  return name.text === 'filter' ? [instead(node, source, source.text(of))] : [];
};

/** The faults that are tried, each a way in which such code is often wrong. */
export const OPERATORS: readonly Operator[] = [
  swapped,
  operandLeftOut,
  negationLeftOut,
  conditionSettled,
  statementLeftOut,
  spreadLeftOut,
  numberChanged,
  booleanChanged,
  methodConfused,
];

function conditionOf(node: Node): Expression | undefined {
  if (isIfStatement(node)) return node.expression;
  return isConditionalExpression(node) ? node.condition : undefined;
}

/** Whether it is settled both ways anyhow. */
const isCondition = (node: Node): boolean => conditionOf(node.parent) === node;

const instead = (node: Node, source: SourceText, text: string): Replacement => ({
  start: source.start(node),
  end: node.end,
  text,
});
