import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import { isCredential, KINDS } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare, type Fields } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { parseFields } from '@authz-service/core/state/parse-fields';
import type { Values } from '../framework/value.js';
import { fieldsFrom, Unformable } from '../resources/field-form.js';
import { LinkSet, SETS } from '../resources/link-set.js';
import { type RecordForm, recordForm, typeName } from '../resources/record-form.js';
import { parseShown, type ShownModule, type ShownResource } from './shown-schema.js';

/** The records of one state, as Terraform shows it. Credentials are left out: nothing of them is read. */
export interface ShownState {
  records: DeclaredRecord[];
  /** The resource of the configuration that declares each record: `module.a.service_role.clerk["x"]`. */
  resourceOf: Map<Address, string>;
  /** The stacks that own the records. */
  stacks: Set<string>;
}

/** The output of `terraform show -json` for a saved plan, or for a state alone, in which nothing changes. */
export interface Shown {
  before: ShownState;
  after: ShownState;
  /** Why `after` is not all that the apply will make, in sentences. */
  gaps: string[];
}

/**
 * Reads the records in the JSON that `terraform show -json` prints of a saved plan or of a state. `file` names it in
 * errors. Throws `invalid_request` for anything else, and `invalid_records` for records that the service would refuse.
 */
export function readShown(text: string, file: string): Shown {
  const shown = parseShown(text, file);
  if (shown.values !== undefined) {
    const state = new StateReader(file).read(shown.values.root_module);
    return { before: state, after: state, gaps: [] };
  }
  if (shown.errored === true) {
    throw new ProblemError(
      'invalid_request',
      `${file} is of a plan that failed, which holds a part of the changes: mend the configuration and plan again.`,
    );
  }
  const unknown = new Map(shown.resource_changes.map(({ address, change }) => [address, change.after_unknown]));
  const before = new StateReader(file).read(shown.prior_state?.values?.root_module);
  const reader = new StateReader(file, unknown);
  const after = reader.read(shown.planned_values?.root_module);
  const gaps = [...reader.gaps];
  if (shown.complete === false) {
    gaps.push(`${file} is of a partial plan (of targets, or with deferred changes): another plan will hold the rest.`);
  }
  return { before, after, gaps };
}

const RECORDS: ReadonlyMap<string, () => RecordForm> = new Map(
  KINDS.filter((kind) => !isCredential(kind)).map((kind) => [typeName(kind), () => recordForm(kind)]),
);

class StateReader {
  readonly gaps: string[] = [];
  readonly #state: ShownState = { records: [], resourceOf: new Map(), stacks: new Set() };
  readonly #held = new Map<Address, DeclaredRecord>();
  readonly #forms = new Map<string, RecordForm>();
  readonly #sets = new Map(SETS.map((words) => new LinkSet(words)).map((set) => [set.type, set]));

  /** `unknown` says of a resource which of its values are known only after the apply. */
  constructor(
    private readonly file: string,
    private readonly unknown: ReadonlyMap<string, unknown> = new Map(),
  ) {}

  read(module: ShownModule | undefined): ShownState {
    if (module !== undefined) this.#module(module);
    return this.#state;
  }

  #module({ resources, child_modules: children }: ShownModule): void {
    for (const resource of resources) if (resource.mode === 'managed') this.#resource(resource);
    for (const child of children) this.#module(child);
  }

  #resource(resource: ShownResource): void {
    const set = this.#sets.get(resource.type);
    const form = set?.formOfLink ?? this.#form(resource.type);
    if (form === undefined) return;
    const names = set === undefined ? [...form.forms.keys()] : [set.granted, set.words.name];
    const open = names.filter((name) => isUnknown(memberOf(this.unknown.get(resource.address), name)));
    if (open.length > 0) {
      this.gaps.push(
        `${resource.address} has values that are known only after the apply (${open.join(', ')}): it is left out.`,
      );
      return;
    }
    const values = resource.values as Values;
    const { managed_by: stack } = values;
    if (typeof stack === 'string') this.#state.stacks.add(stack);
    const declared = set === undefined ? [values] : set.items(values).map((item) => set.linkValues(values, item));
    for (const one of declared) this.#declare(form, one, resource.address);
  }

  #form(type: string): RecordForm | undefined {
    const known = this.#forms.get(type) ?? RECORDS.get(type)?.();
    if (known !== undefined) this.#forms.set(type, known);
    return known;
  }

  #declare(form: RecordForm, values: Values, resource: string): void {
    const record = this.#record(form, values, resource);
    const other = this.#state.resourceOf.get(record.address);
    const held = this.#held.get(record.address);
    // A set of links and a resource of one of them may stand beside each other for a while.
    if (held !== undefined && equalJson(held.fields, record.fields)) return;
    if (held !== undefined) {
      throw new ProblemError(
        'invalid_records',
        `${this.file}: "${record.address}" is declared by ${other} and by ${resource}: use plans of one tenant, in which each record has one resource.`,
      );
    }
    this.#state.resourceOf.set(record.address, resource);
    this.#held.set(record.address, record);
    this.#state.records.push(record);
  }

  #record({ kind, forms }: RecordForm, values: Values, resource: string): DeclaredRecord {
    try {
      const { fields, faults } = parseFields(kind, fieldsFrom(forms, values));
      if (fields !== undefined) return declare(kind, fields as Fields<typeof kind>);
      const [first] = faults;
      throw this.#invalid(resource, `${first?.pointer} ${first?.detail}`);
    } catch (error) {
      if (error instanceof Unformable) throw this.#invalid(resource, error.message);
      throw error;
    }
  }

  #invalid(resource: string, detail: string): ProblemError {
    return new ProblemError('invalid_records', `${this.file}: ${resource}: ${detail}`);
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : value;
}

/** Terraform writes `true` in the place of an unknown value, as deep as it stands. */
function isUnknown(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isUnknown);
  return value === true;
}
