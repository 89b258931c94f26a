import { type Ast, parseCondition } from '../conditions/parse.js';
import { attributePath } from '../conditions/reads.js';
import type { Json, JsonObject } from '../json.js';
import type { DeclaredRecord } from '../records/registry.js';
import { declare } from '../records/registry.js';
import type { Proposal } from './proposal.js';

type PolicyRecord = DeclaredRecord<'policy'>;
type Holder = DeclaredRecord<'subject'> | DeclaredRecord<'resource'>;

/** Changes by which a policy may require less, or subject or resource may have what it requires. */
export function* guardProposals(
  policy: PolicyRecord,
  holders: { subject: Holder | undefined; resource: Holder | undefined },
): Generator<Proposal> {
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
      yield { summary: `take ${what} out of ${policy.address}`, changes: [{ before: policy, after }] };
    }
  }
  for (const name of Object.keys(modifiers) as (keyof typeof modifiers)[]) {
    const { [name]: _, ...left } = modifiers;
    const fields = { ...rest, ...(condition !== undefined && { condition }) };
    const after = declare('policy', Object.keys(left).length > 0 ? { ...fields, modifiers: left } : fields);
    yield { summary: `take the modifier ${name} out of ${policy.address}`, changes: [{ before: policy, after }] };
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
function* propertyProposals(
  ast: Ast,
  holders: { subject: Holder | undefined; resource: Holder | undefined },
): Generator<Proposal> {
  const bare = attributePath(ast);
  if (bare !== undefined) return yield* setting(bare, true, holders);
  const op = ast.op;
  if (op !== 'in' && TURNED[op] === undefined) return;
  const [left, right] = ast.args as [Ast, Ast];
  const [path, other] = [attributePath(left), attributePath(right)];
  if (op === 'in') {
    const first = right.op === 'list' ? right.args[0] : undefined;
    if (path !== undefined && first?.op === 'value') yield* setting(path, literalOf(first.args), holders);
  } else if (path !== undefined && right.op === 'value') {
    yield* setting(path, satisfying(op, literalOf(right.args)), holders);
  } else if (other !== undefined && left.op === 'value') {
    yield* setting(other, satisfying(TURNED[op] ?? op, literalOf(left.args)), holders);
  }
}

function* setting(
  path: string,
  value: Json | undefined,
  holders: { subject: Holder | undefined; resource: Holder | undefined },
): Generator<Proposal> {
  const [, root, name] = /^(subject|resource)\.properties\.([A-Za-z_]\w*)$/.exec(path) ?? [];
  const record = holders[root as 'subject' | 'resource'];
  if (record === undefined || name === undefined || value === undefined) return;
  const properties = { ...(record.fields.properties as JsonObject | undefined), [name]: value };
  const after = { ...record, fields: { ...record.fields, properties } } as Holder;
  yield {
    summary: `set "${name}" of ${record.address} to ${JSON.stringify(value)}`,
    changes: [{ before: record, after }],
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
