import type { LinkKind } from '@authz-service/core/manifest/notation';
import { type Address, address, splitAddress } from '@authz-service/core/records/address';
import { type DeclaredRecord, definitionOf, type StoredRecord } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { titleOf } from '@authz-service/core/state/kind-words';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Attribute, Attributes } from '../framework/schema.js';
import { isList, isObject, isWhollyKnown, type Value, type Values } from '../framework/value.js';
import { valuesFrom } from './field-form.js';
import { judgeConfig, recordFrom } from './judge.js';
import { type RecordForm, recordForm, typeName } from './record-form.js';
import type { Records } from './snapshot.js';

/** The set that a resource owns: all links of one kind that grant the same record. */
interface SetWords {
  kind: LinkKind;
  /** The attribute that holds the set: `members`. */
  name: string;
  docs: string;
}

/** The sets that resources can own whole. */
export const SETS: readonly SetWords[] = [
  {
    kind: 'group_membership',
    name: 'members',
    docs: 'All members of the group. Any other is removed, whoever put it there.',
  },
  {
    kind: 'role_assignment',
    name: 'holders',
    docs: 'All subjects and groups that the role is assigned to. Any other is removed, whoever assigned it.',
  },
  {
    kind: 'policy_assignment',
    name: 'assignees',
    docs: 'All roles, groups and subjects that the policy is assigned to. Any other is removed, whoever assigned it.',
  },
];

/** All links of one kind that grant one record, as the value of one attribute. */
export class LinkSet {
  readonly attributes: Attributes;
  readonly type: string;
  /** The field that names what is granted, which is the kind of that record, too. */
  readonly granted: 'role' | 'policy' | 'group';
  /** The attributes of one link in the set. */
  readonly itemAttributes: Attributes;
  private readonly form: RecordForm;

  constructor(readonly words: SetWords) {
    this.form = recordForm(words.kind);
    this.granted = definitionOf(words.kind).grants as typeof this.granted;
    this.type = `service_${this.granted}_${words.name}`;
    const { [this.granted]: granted, ...item } = Object.fromEntries(
      [...this.form.forms].map(([name, { attribute }]) => [name, attribute]),
    );
    this.itemAttributes = plain(item);
    const text = `The address of the ${this.granted}. Imports take it.`;
    this.attributes = {
      address: { type: 'string', description: text, computed: true, stable: true },
      [this.granted]: granted as Attribute,
      [words.name]: { nested: 'set', attributes: this.itemAttributes, required: true, description: words.docs },
    };
  }

  /** The address of the record that is granted; undefined while it is not known. */
  grantedIn(values: Values): Address | undefined {
    const path = values[this.granted] ?? null;
    return typeof path === 'string' && isWhollyKnown(path) ? address(this.granted, path) : undefined;
  }

  /** The faults of a configuration by itself. */
  judge(config: Values): Diagnostic[] {
    const items = this.items(config);
    const found = items.flatMap((item) => judgeConfig(this.form, this.linkValues(config, item)));
    return [...found, ...this.twice(config)].map((diagnostic) => ({ ...diagnostic, path: [this.words.name] }));
  }

  /** Links that values list more than once, as with two times of expiry. */
  twice(values: Values): Diagnostic[] {
    const seen = new Set<Address>();
    const found: Diagnostic[] = [];
    for (const { address: link } of this.records(values)) {
      if (seen.has(link)) found.push(this.fault(`"${link}" is listed twice: remove one of the two.`));
      seen.add(link);
    }
    return found;
  }

  /** The links that values declare, as far as they are known. */
  records(values: Values): DeclaredRecord[] {
    return this.items(values).flatMap((item) => recordFrom(this.form, this.linkValues(values, item)) ?? []);
  }

  /** The links of a record that the service holds, whoever owns them. */
  held(granted: Address, records: Records): StoredRecord[] {
    const start = `${this.words.kind}/${splitAddress(granted).path}//`;
    return [...records.all()].filter((record) => record.address.startsWith(start));
  }

  /** The values for links that the service holds. One that means the same as in `before` keeps that spelling. */
  valuesOf(granted: Address, held: readonly StoredRecord[], before?: Values): Values {
    const spelled = new Map(
      (before === undefined ? [] : this.items(before)).map((item) => {
        const record = recordFrom(this.form, this.linkValues(before as Values, item));
        return [record?.address, { item, fields: record?.fields }] as const;
      }),
    );
    const items = held.map((record): Value => {
      const earlier = spelled.get(record.address);
      if (earlier !== undefined && equalJson(earlier.fields, record.fields)) return earlier.item;
      const { [this.granted]: _, ...item } = valuesFrom(this.form.forms, record.fields);
      return item;
    });
    return { address: granted, [this.granted]: splitAddress(granted).path, [this.words.name]: items };
  }

  private fault(detail: string): Diagnostic {
    return { severity: 'error', summary: `Invalid ${this.words.name}`, detail, path: [this.words.name] };
  }

  /** How to own a single link in place of the whole set. */
  get single(): string {
    return typeName(this.words.kind);
  }

  /** Names what is granted: `Role "billing/clerk"`. */
  named(granted: Address): string {
    return `${titleOf(this.granted)} "${splitAddress(granted).path}"`;
  }

  get formOfLink(): RecordForm {
    return this.form;
  }

  /** The values of one link, which are those of its own resource. */
  linkValues(values: Values, item: Values): Values {
    return { ...item, [this.granted]: values[this.granted] ?? null };
  }

  items(values: Values): Values[] {
    const items = values[this.words.name] ?? null;
    return isList(items) ? items.filter(isObject) : [];
  }
}

/** Attributes of an element, which is replaced as a whole anyway. */
function plain(attributes: Record<string, Attribute>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { replace: _, ...attribute }]) => [name, attribute as Attribute]),
  );
}
