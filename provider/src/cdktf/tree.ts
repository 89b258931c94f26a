import { canonicalJson } from '@authz-service/core/json/json';
import type { ManifestFile } from '@authz-service/core/manifest/manifest';
import { faultText } from '@authz-service/core/manifest/manifest';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import { KINDS, type Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, referencesOf } from '@authz-service/core/records/registry';
import { type TerraformResource, TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { camelCase, literal } from '../terraform/notation/construct-text.js';
import {
  type Configured,
  type ConfiguredAttributes,
  configurationOf,
} from '../terraform/notation/record-configuration.js';
import type { Entity, Provided } from './entity.js';
import { AccessRule } from './generated/access-rule.js';
import { ApiKey } from './generated/api-key.js';
import { Application } from './generated/application.js';
import { ContextAttribute } from './generated/context-attribute.js';
import { Directory } from './generated/directory.js';
import { Group } from './generated/group.js';
import { GroupMembership } from './generated/group-membership.js';
import { OauthClient } from './generated/oauth-client.js';
import { Policy } from './generated/policy.js';
import { PolicyAssignment } from './generated/policy-assignment.js';
import { ServiceProvider } from './generated/provider.js';
import { Resource } from './generated/resource.js';
import { ResourceType } from './generated/resource-type.js';
import { Role } from './generated/role.js';
import { RoleAssignment } from './generated/role-assignment.js';
import { Subject } from './generated/subject.js';
import { SubjectType } from './generated/subject-type.js';
import { options, placeOf } from './options/options.js';

type Declared = TerraformResource & { readonly path: string };

/** The generated construct of each kind, created from attributes that are known only when the program runs. */
type RecordClass = new (scope: Construct, id: string, config: never) => Declared;
const CLASSES: { [K in Kind]: RecordClass } = {
  application: Application,
  resource_type: ResourceType,
  resource: Resource,
  subject_type: SubjectType,
  subject: Subject,
  context_attribute: ContextAttribute,
  directory: Directory,
  role: Role,
  group: Group,
  policy: Policy,
  role_assignment: RoleAssignment,
  group_membership: GroupMembership,
  policy_assignment: PolicyAssignment,
  access_rule: AccessRule,
  api_key: ApiKey,
  oauth_client: OauthClient,
};

export interface TreeProps extends Provided {
  /** The result of `readTree(folder)` of `@authz-service/embedded/tree/read-tree`. */
  readonly files: ManifestFile[];
}

/**
 * Declares everything in a tree of YAML. Its records belong to the stack of the provider, whatever the tree says. If
 * the tree names its tenant, the provider must name it, too. Throws `invalid_records` with the faults of the tree, each
 * with its file, line and column, also for a tree with `moved` entries: Terraform renames a record by creating another
 * in its place, which is not what `moved` promises.
 */
export class Tree extends Construct {
  private readonly records = new Map<Address, Declared>();

  constructor(scope: Construct, id: string, props: TreeProps) {
    const at = placeOf(scope, id);
    const { files, provider } = options(at, props, { files: true, provider: true });
    super(scope, id);
    if (!Array.isArray(files))
      throw new Error(`${at}: "files" is no list of files: give what "await readTree('folder')" gives.`);
    const { manifest, faults } = readManifest(files);
    if (manifest === undefined)
      throw new ProblemError('invalid_records', `The tree has faults.\n${faults.map(faultText).join('\n')}`);
    if (manifest.moves.length > 0) {
      const detail =
        'The tree has "moved" entries, which Terraform cannot follow, since it renames a record by creating another in its place: remove them, and the plan shows what is replaced.';
      throw new ProblemError('invalid_records', detail);
    }
    const { tenant } = manifest;
    if (tenant !== undefined) this.node.addValidation({ validate: () => this.otherTenants(tenant) });
    const rank = ({ kind }: { kind: Kind }) => KINDS.indexOf(kind);
    const sorted = manifest.records.toSorted((left, right) => rank(left) - rank(right));
    for (const record of referencedFirst(sorted)) {
      const config = this.attributes(configurationOf(record));
      this.records.set(
        record.address,
        new CLASSES[record.kind](this, record.address, { ...config, provider } as never),
      );
    }
  }

  /** A role, group or subject of the tree, by its address: `group/finance`. Throws `not_found`. */
  entity<K extends Entity['entityType']>(address: `${K}/${string}`): Entity<K> {
    const { path, node } = this.record(address);
    return { entityType: splitAddress(address).kind as K, path, node };
  }

  /** A record of the tree by its address, for the references of others. Throws `not_found`. */
  record(address: Address): Declared {
    const record = this.records.get(address);
    if (record === undefined) throw new ProblemError('not_found', `The tree declares no record "${address}".`);
    return record;
  }

  /** The providers of the stack that could apply the tree to another tenant. */
  private otherTenants(tenant: string): string[] {
    const providers = TerraformStack.of(this)
      .node.findAll()
      .filter((one) => one instanceof ServiceProvider);
    return providers
      .filter((provider) => provider.tenantInput !== tenant)
      .map(
        ({ node }) =>
          `The tree is declared for the tenant "${tenant}": give the provider ${node.path} tenant: "${tenant}", so that it refuses the credentials of another.`,
      );
  }

  private attributes(configured: ConfiguredAttributes): Record<string, unknown> {
    return Object.fromEntries(Object.entries(configured).map(([name, value]) => [camelCase(name), this.value(value)]));
  }

  private value(configured: Configured): unknown {
    if ('reference' in configured) return this.records.get(configured.reference)?.path ?? literal(configured.path);
    if ('parts' in configured) {
      const texts = configured.parts.map((part) =>
        typeof part === 'string' ? literal(part) : (this.records.get(part.reference)?.path ?? literal(part.path)),
      );
      return texts.join('');
    }
    if ('items' in configured) return configured.items.map((item) => this.value(item));
    if ('attributes' in configured) return this.attributes(configured.attributes);
    return literal('json' in configured ? canonicalJson(configured.json) : configured.literal);
  }
}

/** The records in their order, but those of one kind that others of it refer to before these. */
function* referencedFirst(records: readonly DeclaredRecord[]): Generator<DeclaredRecord> {
  const waiting = new Map(records.map((record) => [record.address, record]));
  const done = new Set<Address>();
  for (const record of records) {
    const open = [record];
    for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
      const { kind, address, fields } = next;
      waiting.delete(address);
      const before = referencesOf(kind, fields).find(({ target }) => waiting.get(target)?.kind === kind);
      const first = before && waiting.get(before.target);
      if (first !== undefined) open.push(first);
      else {
        open.pop();
        if (!done.has(address)) yield next;
        done.add(address);
      }
    }
  }
}
