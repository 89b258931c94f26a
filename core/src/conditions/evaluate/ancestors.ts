import type { Path } from '../../records/address.js';
import { hasForm } from '../../records/path-form.js';
import { ConditionFault } from '../syntax/parse.js';
import { Absent, Failure } from '../values/outcome.js';
import type { Scope } from '../values/scope.js';
import { listOf, MAP } from '../values/static-type.js';
import type { Value, ValueMap } from '../values/value.js';
import type { Node } from './node.js';

/** The steps for finding the ancestors of a type among as many as a resource may have, and sorting them. */
const ANCESTRY_STEPS = 64;
const STEPS_EACH = 8;

type AncestorMethod = 'ancestor' | 'ancestors';

/** A recorded resource that another one lies below. */
export interface AncestorFacts {
  /** The name of its type, and of the application the type belongs to. */
  readonly type: string;
  readonly application: string;
  readonly name: string;
  readonly properties: ValueMap;
  /** The id of its record; undefined where only the cloud knows it. */
  readonly id: string | undefined;
}

/** All that conditions read of an ancestor (docs/semantics.md 8.10). Without a known id the member is missing. */
export function ancestorValue({ id, ...facts }: AncestorFacts): ValueMap {
  const value: { [key: string]: Value } = facts;
  if (id !== undefined) value.id = id;
  return value;
}

export function isAncestorMethod(name: string): name is AncestorMethod {
  return name === 'ancestor' || name === 'ancestors';
}

/** `resource.ancestor("docs/folder")`: the only one of the type; `resource.ancestors("docs/folder")`: all of them. */
export function ancestors(name: AncestorMethod, path: Path | undefined, args: number, offset: number): Node {
  if (path === undefined || args !== 1)
    throw new ConditionFault(`${name}() takes the path of a resource type in quotes, like "docs/folder"`, offset);
  if (!hasForm('resource_type', path))
    throw new ConditionFault(`${name}() takes the path of a resource type: write "APPLICATION/${path}"`, offset);
  const find = (scope: Scope) => {
    scope.charge(ANCESTRY_STEPS);
    const found = scope.ancestorsOf(path);
    if (!(found instanceof Absent)) scope.charge(found.length * STEPS_EACH);
    return found;
  };
  const node = { label: '', offset, size: 2 };
  if (name === 'ancestors') return { ...node, type: listOf(MAP), run: find };
  return {
    ...node,
    type: MAP,
    run: (scope) => {
      const found = find(scope);
      if (found instanceof Absent) return found;
      const [only] = found;
      if (only !== undefined && found.length === 1) return only;
      const many = found.length === 0 ? 'no ancestor' : `${found.length} ancestors`;
      return new Failure(`the resource has ${many} of the type "${path}"`);
    },
  };
}
