import { clauseReads } from '../../conditions/reads/clause-reads.js';
import { attributePath } from '../../conditions/reads/reads.js';
import { type Ast, parseCondition } from '../../conditions/syntax/parse.js';
import { Absent } from '../../conditions/values/outcome.js';
import type { Scope } from '../../conditions/values/scope.js';
import type { Json, JsonObject } from '../../json/json.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { declare } from '../../records/registry.js';
import type { Proposal } from './proposal.js';

type PolicyRecord = DeclaredRecord<'policy'>;
type Holder = DeclaredRecord<'subject'> | DeclaredRecord<'resource'>;

/** The records whose properties may change, and what the request's conditions read. */
export interface PropertyHolders {
  subject: Holder | undefined;
  resource: Holder | undefined;
  scope(): Scope;
}

/** Changes by which a policy may require less, or subject or resource may have what it requires. */
export function* guardProposals(policy: PolicyRecord, holders: PropertyHolders): Generator<Proposal> {
  const { condition, modifiers = {}, ...rest } = policy.fields;
  if (condition !== undefined) {
    const operands = operandsOf(parseCondition(condition));
    for (const operand of operands) {
      yield* propertyProposals(operand, holders);
      const left = operands.filter((one) => one !== operand).map((one) => textOf(condition, one, operands.length > 2));
      const fields = { ...policy.fields, condition: left.join(' && ') };
      const { condition: _, ...without } = policy.fields;
      const after = declare('policy', left.length > 0 ? fields : without);
      const what = `the clause ${condition.slice(operand.start, operand.end)}`.replace(/\s+/g, ' ');
      const changes = [{ before: policy, after }];
      const summary = `take ${what} out of ${policy.address}`;
      yield { summary, changes, breadth: 'shared', removes_protection: true };
    }
  }
  for (const name of Object.keys(modifiers) as (keyof typeof modifiers)[]) {
    const { [name]: _, ...left } = modifiers;
    const fields = { ...rest, ...(condition !== undefined && { condition }) };
    const after = declare('policy', Object.keys(left).length > 0 ? { ...fields, modifiers: left } : fields);
    const changes = [{ before: policy, after }];
    const summary = `take the modifier ${name} out of ${policy.address}`;
    yield { summary, changes, breadth: 'shared', removes_protection: true };
  }
}

function operandsOf(ast: Ast): Ast[] {
  return ast.op === '&&' ? ast.args.flatMap(operandsOf) : [ast];
}

/** An operand as text; within other operands it may need the parentheses that its place in the text does not hold. */
function textOf(condition: string, { op, start, end }: Ast, within: boolean): string {
  const text = condition.slice(start, end);
  return within && (op === '||' || op === '?:') ? `(${text})` : text;
}

const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==' };

/** The values of properties by which a comparison with a constant, or a property alone, becomes true. */
function* propertyProposals(ast: Ast, holders: PropertyHolders): Generator<Proposal> {
  const bare = attributePath(ast);
  if (bare !== undefined) return yield* setting(bare, true, holders);
  const op = ast.op;
  if (op !== 'in' && TURNED[op] === undefined) return;
  const [left, right] = ast.args as [Ast, Ast];
  const [path, other] = [attributePath(left), attributePath(right)];
  if (op === 'in') {
    const listed = right.op === 'list' && right.args[0] !== undefined ? valueFor(right.args[0], holders) : undefined;
    if (path !== undefined && listed !== undefined) yield* setting(path, listed, holders);
    const [item, list] = [valueFor(left, holders), other === undefined ? undefined : valueFor(right, holders)];
    if (other !== undefined && item !== undefined && Array.isArray(list))
      yield* setting(other, [...list, item], holders);
    return;
  }
  if (path !== undefined) yield* setting(path, satisfying(op, valueFor(right, holders)), holders);
  if (other !== undefined) yield* setting(other, satisfying(TURNED[op] ?? op, valueFor(left, holders)), holders);
}

/** The value of a literal, or of an attribute as the request has it. */
function valueFor(ast: Ast, { scope }: PropertyHolders): Json | undefined {
  if (ast.op === 'value') return literalOf(ast.args);
  if (attributePath(ast) === undefined) return undefined;
  const [read] = clauseReads(ast);
  const value = read?.valueIn(scope());
  return value instanceof Absent || value === null ? undefined : (value as Json | undefined);
}

function* setting(path: string, value: Json | undefined, holders: PropertyHolders): Generator<Proposal> {
  const [, root, name] = /^(subject|resource)\.properties\.([A-Za-z_]\w*)$/.exec(path) ?? [];
  const record = holders[root as 'subject' | 'resource'];
  if (record === undefined || name === undefined || value === undefined) return;
  const properties = { ...(record.fields.properties as JsonObject | undefined), [name]: value };
  const after = { ...record, fields: { ...record.fields, properties } } as Holder;
  yield {
    summary: `set "${name}" of ${record.address} to ${JSON.stringify(value)}`,
    changes: [{ before: record, after }],
    breadth: 'property',
  };
}

function literalOf(value: unknown): Json | undefined {
  if (typeof value === 'bigint') return Number(value);
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Json) : undefined;
}

function satisfying(op: string, value: Json | undefined): Json | undefined {
  if (op === '==' || op === '<=' || op === '>=') return value;
  if (typeof value !== 'number') return undefined;
  return op === '<' ? value - 1 : value + 1;
}
