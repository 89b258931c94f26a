import { append } from '../../collections/append.js';
import type { Address } from '../../records/address.js';
import { splitAddress } from '../../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import { type DeclaredRecord, declare } from '../../records/registry.js';
import type { Proposal, ProposedChange, Records } from './proposal.js';

type Link = DeclaredRecord<'role_assignment' | 'policy_assignment' | 'group_membership'>;

/** The links of a tenant, by what they give. */
export class LinkIndex {
  /** By the address of the policy or role: whom it is given to. */
  readonly #given = new Map<Address, Address[]>();
  /** By the address of a role: the roles that include it. */
  readonly #including = new Map<Address, Address[]>();

  constructor(private readonly records: Records) {
    for (const record of records.values()) {
      if (record.kind === 'policy_assignment') {
        append(this.#given, `policy/${record.fields.policy}`, `${record.fields.entity_type}/${record.fields.entity}`);
      } else if (record.kind === 'role_assignment' && record.fields.resource === undefined) {
        append(this.#given, `role/${record.fields.role}`, `${record.fields.entity_type}/${record.fields.entity}`);
      } else if (record.kind === 'role') {
        for (const included of record.fields.includes ?? [])
          append(this.#including, `role/${included}`, record.address);
      }
    }
  }

  /** The link by which the subject would have a policy itself. */
  assignment(policy: Address, subject: string): Proposal {
    return this.#link(
      declare('policy_assignment', { policy: splitAddress(policy).path, entity_type: 'subject', entity: subject }),
      `assign ${policy} to subject/${subject}`,
      'link',
    );
  }

  /** The links to a role or a group by which the subject would have a policy: roles on the resource alone first. */
  *towards(policy: Address, subject: string, resource: string | undefined): Generator<Proposal> {
    const roles = new Set(this.#to(policy, 'role/'));
    for (const role of roles) for (const one of this.#including.get(role) ?? []) roles.add(one);
    const groups = new Set(this.#to(policy, 'group/'));
    for (const role of roles) for (const group of this.#to(role, 'group/')) groups.add(group);
    for (const address of roles) {
      const role = splitAddress(address).path;
      const given = { role, entity_type: 'subject', entity: subject } as const;
      const summary = `give ${address} to subject/${subject}`;
      if (resource !== undefined) {
        const onResource = declare('role_assignment', { ...given, resource });
        yield this.#link(onResource, `${summary} on resource/${resource}`, 'resource');
      }
      yield this.#link(declare('role_assignment', given), summary, 'link');
    }
    for (const address of groups) {
      const fields = { group: splitAddress(address).path, entity_type: 'subject', entity: subject } as const;
      yield this.#link(declare('group_membership', fields), `put subject/${subject} into ${address}`, 'link');
    }
  }

  /** The removals of links on the way from the subject to a policy. */
  *onTheWay(through: readonly Address[], policy: Address, place: Address | undefined): Generator<Proposal> {
    const way = [...through, policy];
    for (const [index, to] of way.entries()) {
      const before = way[index - 1];
      // No link makes anybody one of everyone; what everyone has is given by links like others.
      if (before === undefined || isEveryone(to)) continue;
      const from = before === EVERYONE ? `everyone/${EVERY_TYPE}` : before;
      const kind = { group: 'group_membership', role: 'role_assignment', policy: 'policy_assignment' }[
        splitAddress(to).kind as string
      ];
      const plain = `${kind}/${splitAddress(to).path}//${from}`;
      const at = place === undefined ? plain : `${plain}//${splitAddress(place).path}`;
      const link = this.records.get(at) ?? this.records.get(plain);
      if (link === undefined) continue;
      const breadth = before.startsWith('subject/') ? 'link' : 'shared';
      const changes = [{ before: link }];
      yield { summary: `remove ${link.address}`, changes, breadth, removes_protection: true };
    }
  }

  /** The removal of a policy with its assignments. */
  *removal(address: Address): Generator<Proposal> {
    const policy = this.records.get(address);
    if (policy === undefined) return;
    const given = this.#given.get(address) ?? [];
    const assignments = given.flatMap(
      (to) => this.records.get(`policy_assignment/${splitAddress(address).path}//${to}`) ?? [],
    );
    const summary = `remove ${address} with its assignments`;
    const changes = [...assignments, policy].map((before) => ({ before }));
    yield { summary, changes, breadth: 'policy', removes_protection: true };
  }

  /** One that exists has begun or ended: it counts without its period. */
  #link(link: Link, summary: string, breadth: Proposal['breadth']): Proposal {
    const before = this.records.get(link.address);
    const change: ProposedChange = before === undefined ? { after: link } : { before, after: link };
    return { summary: before === undefined ? summary : `${summary} without a period`, changes: [change], breadth };
  }

  #to(given: Address, kind: string): Address[] {
    return (this.#given.get(given) ?? []).filter((one) => one.startsWith(kind));
  }
}

function isEveryone(principal: string): boolean {
  return principal === EVERYONE || principal.startsWith(`${EVERYONE}/`);
}
