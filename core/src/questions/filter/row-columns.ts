import type { ParentType, ResourceType } from '../../access/grants/target.js';
import type { JsonObject } from '../../json/json.js';
import type { PropertyType } from '../../records/fields.js';
import { Unsayable } from './not-filterable.js';
import type { ColumnName } from './row-condition.js';

/** A column that conditions read. */
export interface RowColumn {
  readonly column: ColumnName;
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  /** Tells whether a row without a value lacks the attribute, or has `null`; each row has a name. */
  readonly without: 'absent' | 'null' | 'never';
}

/** A parent's column, and the type of the recorded resources that it names. */
export interface ParentColumn {
  readonly column: ColumnName;
  readonly parent: ParentType;
}

const SAYABLE: ReadonlySet<PropertyType> = new Set(['string', 'number', 'boolean', 'list']);

export const NAME: RowColumn = { column: 'name', type: 'string', without: 'never' };

/**
 * The columns of rows of a type: a property that the request sends is none, since it counts for all rows, and neither is one
 * that counts as it is recorded.
 */
export class RowColumns {
  readonly parents: readonly ParentColumn[];
  readonly #byProperty: ReadonlyMap<string, RowColumn>;

  constructor(
    private readonly type: ResourceType,
    private readonly sent: JsonObject,
  ) {
    const free = type.takesParents ? type.parents.filter(({ property }) => !Object.hasOwn(sent, property)) : [];
    this.parents = free.map((parent) => ({ column: parentColumn(parent, type.parents), parent }));
    this.#byProperty = new Map(
      this.parents.map(({ column, parent }) => [parent.property, { column, type: 'string', without: 'null' }]),
    );
  }

  /** Whether rows choose a property, so that a condition that reads it depends on the row. */
  has(property: string): boolean {
    return !Object.hasOwn(this.sent, property) && (this.type.sendable?.has(property) ?? true);
  }

  /** Throws `Unsayable` where the type does not say what the column holds. */
  of(property: string, clause: string): RowColumn {
    const parent = this.#byProperty.get(property);
    if (parent !== undefined) return parent;
    const { properties } = this.type;
    const type = properties !== undefined && Object.hasOwn(properties, property) ? properties[property] : undefined;
    const text = JSON.stringify(property);
    if (type !== undefined && SAYABLE.has(type))
      return { column: `properties.${property}`, type: type as RowColumn['type'], without: 'absent' };
    throw new Unsayable(
      clause,
      type === undefined ? `the property ${text} has no declared type` : `the property ${text} is declared as ${type}`,
      `Declare ${text} as string, number, boolean or list in the properties of resource_type/${this.type.path}`,
    );
  }
}

/** The bare name of the parents' type where no other declared parent has it, else the property. */
function parentColumn({ type, property }: ParentType, all: readonly ParentType[]): ColumnName {
  const alike = all.filter((other) => other.type.name === type.name || other.property === type.name);
  return alike.every((other) => other.property === property) ? `parents.${type.name}` : `parents.${property}`;
}
