import type { Path } from '../../records/address.js';
import { ConditionFault } from '../syntax/parse.js';
import { BOOL } from '../values/static-type.js';
import type { Node, Run } from './node.js';

type SubjectQuestion = 'in_group' | 'has_role';

export function isSubjectQuestion(name: string): name is SubjectQuestion {
  return name === 'in_group' || name === 'has_role';
}

/** `subject.in_group("finance")`, `subject.has_role("billing/accountant")`; `path` is undefined where it is no plain literal. */
export function subjectQuestion(name: SubjectQuestion, path: Path | undefined, args: number, offset: number): Node {
  if (path === undefined || args !== 1) {
    const what =
      name === 'in_group'
        ? 'a group in plain quotes, like "finance"'
        : 'a role in plain quotes, like "billing/accountant"';
    throw new ConditionFault(`${name}() takes the path of ${what}`, offset);
  }
  const run: Run = name === 'in_group' ? (scope) => scope.inGroup(path) : (scope) => scope.hasRole(path);
  return { type: BOOL, run, label: '', offset, size: 2 };
}
