import { ALWAYS, type Period, periodOf } from '../../access/grants/period.js';
import { remembered } from '../../collections/remembered.js';
import { textsInCondition } from '../../conditions/residual/texts-in-condition.js';
import { type Address, type Path, typeOfResource } from '../../records/address.js';
import { ALL_TYPES } from '../../records/policy.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { type AccessView, mentioning, recordAt } from './access-view.js';
import type { JudgedResource, LocatedResource } from './resource-places.js';

export type PolicyRecord = DeclaredRecord<'policy'>;

/** A policy that covers a resource and an action; only below `unknown`, if it does where the resource lies as nobody says. */
export interface Covering {
  readonly policy: PolicyRecord;
  readonly unknown: Path | undefined;
}

export interface Assignee {
  readonly principal: Address;
  readonly period: Period;
}

interface Entry {
  readonly policy: PolicyRecord;
  readonly actions: readonly string[];
  readonly below: boolean;
}

const EVERY_ACTION = '*';
const NO_ENTRIES: readonly Entry[] = [];

/** Reads from one state which policies cover what, and whom they are assigned to. */
export class CoveringPolicies {
  readonly #wide = new Map<Path, readonly PolicyRecord[]>();
  readonly #entries = new Map<Path, readonly Entry[]>();
  readonly #onAllOf = new Map<string, readonly Covering[]>();
  #named: Set<Path> | undefined;
  readonly #assignees = new Map<Path, readonly Assignee[]>();

  constructor(private readonly view: AccessView) {}

  of({ type, path }: JudgedResource, { places, unknown }: LocatedResource, action: string): readonly Covering[] {
    // Requests about a type that is not declared are denied, whatever wildcards there are.
    if (recordAt(this.view, 'resource_type', type) === undefined) return [];
    const found: Covering[] = [];
    const named = (resource: Path, belowOnly: boolean, unsaid: boolean) => {
      for (const { policy, actions, below } of this.entriesOf(resource))
        if ((below || !belowOnly) && (actions.includes(action) || actions.includes(EVERY_ACTION)))
          found.push({ policy, unknown: unsaid ? resource : undefined });
    };
    for (const place of places) named(place, place !== path, false);
    if (unknown.size > 0)
      for (const resource of this.named())
        if (!places.has(resource) && unknown.has(typeOfResource(resource))) named(resource, true, true);
    const all = this.#onAll(type, action);
    return found.length === 0 ? all : [...all, ...found];
  }

  /** The policies that cover an action on all resources of a declared type. */
  #onAll(type: Path, action: string): readonly Covering[] {
    return remembered(this.#onAllOf, `${type}\n${action}`, () => {
      const declared = recordAt(this.view, 'resource_type', type)?.fields.actions.includes(action);
      return this.#onType(type).flatMap((policy) => {
        const { actions = [], resource_type } = policy.fields;
        const covers =
          actions.includes(EVERY_ACTION) || (actions.includes(action) && (resource_type !== undefined || declared));
        return covers ? [{ policy, unknown: undefined }] : [];
      });
    });
  }

  /** The actions that these name, or write out in a condition that reads the name of the action. */
  *actionsOn({ type }: JudgedResource, { places, unknown }: LocatedResource): Generator<string> {
    for (const { fields } of this.#onType(type)) {
      yield* fields.actions ?? [];
      yield* textsInCondition(fields.condition, 'action.name');
    }
    const named = unknown.size === 0 ? [] : [...this.named()].filter((one) => unknown.has(typeOfResource(one)));
    for (const place of [...places, ...named])
      for (const { policy, actions } of this.entriesOf(place)) {
        yield* actions;
        yield* textsInCondition(policy.fields.condition, 'action.name');
      }
  }

  /** The resources that policies name. */
  named(): ReadonlySet<Path> {
    if (this.#named === undefined) {
      this.#named = new Set();
      for (const address of this.view.mentionedBy('policy', 'resource'))
        this.#named.add(address.slice('resource/'.length));
    }
    return this.#named;
  }

  /** Returns the entries of policies that name a resource. */
  entriesOf(resource: Path): readonly Entry[] {
    if (!this.named().has(resource)) return NO_ENTRIES;
    return remembered(this.#entries, resource, () =>
      [...mentioning(this.view, `resource/${resource}`, 'policy')].flatMap((policy) =>
        (policy.fields.resources ?? []).flatMap((item) =>
          item.resource === resource ? [{ policy, actions: item.actions, below: item.below ?? false }] : [],
        ),
      ),
    );
  }

  assigneesOf(policy: Path): readonly Assignee[] {
    return remembered(this.#assignees, policy, () =>
      [...mentioning(this.view, `policy/${policy}`, 'policy_assignment')].map(({ fields }) => ({
        principal: `${fields.entity_type}/${fields.entity}`,
        period: periodOf(fields) ?? ALWAYS,
      })),
    );
  }

  /** The guards of the policies that cover all resources of a type. */
  guardsOn(type: Path): PolicyRecord['fields'][] {
    return this.#onType(type).map(({ fields }) => fields);
  }

  /** The policies that cover all resources of a type. */
  #onType(type: Path): readonly PolicyRecord[] {
    return remembered(this.#wide, type, () => {
      const application = type.slice(0, type.indexOf('/'));
      const found = new Set<PolicyRecord>();
      for (const policy of mentioning(this.view, `resource_type/${type}`, 'policy')) {
        const { resource_type, resource_types } = policy.fields;
        if (resource_type === type || resource_types?.includes(type)) found.add(policy);
      }
      for (const policy of mentioning(this.view, `application/${application}`, 'policy'))
        if (policy.fields.resource_types?.includes(ALL_TYPES)) found.add(policy);
      return [...found];
    });
  }
}

/** The path of a policy's record. */
export function policyPath({ address }: PolicyRecord): Path {
  return address.slice('policy/'.length);
}
