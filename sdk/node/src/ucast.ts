import { CompoundCondition, type Condition, FieldCondition } from '@ucast/core';
import type { FilterCondition, FilterTest } from './filter.js';
import { type ColumnsOf, columnOf } from './filter-template.js';

const OPERATORS = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' } as const;

/**
 * Says the condition of a filter whose kind is `some` as one of UCAST, on the fields to which attributes are mapped. `present` is `exists`: its interpreter has
 * to take `NULL` for a value that does not exist. `startsWith`, `endsWith`, `contains`, `hasAny`, `hasOnly`, `same`, `less` and
 * `atMost` keep their names, so an interpreter needs rules for them; the value of the last three is the other field.
 */
export function filterUcast(condition: FilterCondition, fields: ColumnsOf<string>): Condition {
  return conditionOf(condition, (attribute) => columnOf(fields, attribute).column);
}

function conditionOf(condition: FilterCondition, field: (attribute: string) => string): Condition {
  switch (condition.op) {
    case 'and':
    case 'or':
      return new CompoundCondition(
        condition.op,
        condition.args.map((arg) => conditionOf(arg, field)),
      );
    case 'not':
      return new CompoundCondition('not', [conditionOf(condition.arg, field)]);
    default:
      return testOf(condition, field);
  }
}

function testOf(test: FilterTest, field: (attribute: string) => string): Condition {
  const name = field(test.attribute);
  switch (test.op) {
    case 'present':
      return new FieldCondition('exists', name, true);
    case 'in':
    case 'hasAny':
    case 'hasOnly':
      return new FieldCondition(test.op, name, test.values);
    case 'same':
    case 'less':
    case 'atMost':
      return new FieldCondition(test.op, name, field(test.other));
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return new FieldCondition(OPERATORS[test.op], name, test.value);
    default:
      return new FieldCondition(test.op, name, test.value);
  }
}
