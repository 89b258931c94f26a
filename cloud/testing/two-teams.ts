import { type TestAnswer, TestCloud } from './test-cloud.js';

export const link = (kind: string, granted: string, entity: string) => {
  const [, entityType = '', path = ''] = /^(\w+)\/(.+)$/.exec(entity) ?? [];
  const field = { role_assignment: 'role', policy_assignment: 'policy', group_membership: 'group' }[kind] ?? '';
  return { op: 'create', kind, fields: { [field]: granted, entity_type: entityType, entity: path } };
};

export const create = (kind: string, fields: object) => ({ op: 'create', kind, fields });

/**
 * One tenant with the applications `billing` and `shipping`, each with a stack, records, and a limited writer of its own;
 * shared by shipping with billing are what is named so. The platform's stack holds what belongs to the tenant.
 */
export class TwoTeams {
  private constructor(
    readonly cloud: TestCloud,
    readonly admin: string,
    /** Keys by the name of the team. */
    readonly writers: Readonly<Record<'billing' | 'shipping', string>>,
  ) {}

  static async start(): Promise<TwoTeams> {
    const cloud = await TestCloud.start();
    const admin = await cloud.token();
    const put = async (stack: string, changes: object[]) => {
      const { status, body } = await cloud.ask('POST', '/v1/changesets', { as: admin, body: { stack, changes } });
      if (status !== 200) throw new Error(JSON.stringify(body));
    };
    await put('platform', [
      create('application', { name: 'billing' }),
      create('application', { name: 'shipping' }),
      create('subject', { type: 'user', id: 'alice' }),
      create('subject', { type: 'user', id: 'mallory' }),
      create('subject_type', { name: 'user', properties: { region: 'string' } }),
      create('context_attribute', { name: 'purpose', type: 'string' }),
      create('role', { name: 'auditor' }),
      create('group', { name: 'everybody' }),
      create('group', { name: 'on-call', shared_with: ['billing'] }),
    ]);
    await put('shipping', [...applicationOf('shipping'), ...sharedByShipping()]);
    await put('billing', applicationOf('billing'));
    const writer = (team: string) =>
      cloud.key(admin, ['records:write', 'credentials'], {
        limits: { stacks: [team], applications: [team], priority_max: 100 },
      });
    return new TwoTeams(cloud, admin, { billing: await writer('billing'), shipping: await writer('shipping') });
  }

  /** Sends the billing team's request for its stack. */
  ask(changes: object[], more: object = {}, as = this.writers.billing): Promise<TestAnswer> {
    return this.cloud.ask('POST', '/v1/changesets', { as, body: { stack: 'billing', changes, ...more } });
  }

  close(): Promise<void> {
    return this.cloud.close();
  }
}

function applicationOf(name: string): object[] {
  return [
    create('resource_type', { application: name, name: 'paper', actions: ['read', 'sign'] }),
    create('resource', { type: `${name}/paper`, name: 'one' }),
    create('role', { application: name, name: 'clerk' }),
    create('group', { name: `${name}-team` }),
    create('policy', {
      application: name,
      name: 'sign',
      effect: 'ALLOW',
      resource_type: `${name}/paper`,
      actions: ['*'],
    }),
    link('policy_assignment', `${name}/sign`, `role/${name}/clerk`),
    link('role_assignment', `${name}/clerk`, 'subject/user/alice'),
    link('group_membership', `${name}-team`, 'subject/user/alice'),
  ];
}

function sharedByShipping(): object[] {
  const shared_with = ['billing'];
  return [
    create('resource_type', { application: 'shipping', name: 'shared', actions: ['read'], shared_with }),
    create('resource', { type: 'shipping/shared', name: 'of-shared-type' }),
    create('resource', { type: 'shipping/paper', name: 'shared', shared_with }),
    create('role', { application: 'shipping', name: 'shared', shared_with }),
    create('policy', {
      application: 'shipping',
      name: 'shared',
      effect: 'ALLOW',
      resource_type: 'shipping/shared',
      actions: ['read'],
      shared_with,
    }),
  ];
}
