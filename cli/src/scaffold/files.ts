import { bareText } from '@authz-service/core/manifest/yaml-text';

/** The files of `servicectl init`: a small valid tenant, with comments for readers who are new to the notation. */
export interface ScaffoldFile {
  path: string;
  text: string;
}

const modeline = (schema: string): string => `# yaml-language-server: $schema=${schema}\n`;

export const SCHEMA_PATH = '.service/schema.json';
export const TESTS_SCHEMA_PATH = '.service/tests.json';

/**
 * It shares no record with the examples, so that it can be applied beside them. `stack` owns what the tree declares;
 * `tenant`, if given, is the only one that it may be applied to.
 */
export function scaffold({ stack, tenant }: { stack: string; tenant?: string | undefined }): ScaffoldFile[] {
  return [
    { path: 'tenant.yaml', text: modeline(SCHEMA_PATH) + tenantFile(stack, tenant) },
    { path: 'applications/helpdesk.yaml', text: modeline(`../${SCHEMA_PATH}`) + HELPDESK },
    { path: 'people.yaml', text: modeline(SCHEMA_PATH) + PEOPLE },
  ];
}

/** Tests of what `scaffold` declares; "servicectl test" answers them. */
export const scaffoldTests: ScaffoldFile = {
  path: 'access.test.yaml',
  text: `${modeline(TESTS_SCHEMA_PATH)}# Questions to the tree, answered by "servicectl test". What a table does not list as allowed must be denied.
tests:
  - name: Support reads tickets, and leads close minor ones
    subjects: [user:grace, user:henry, user:iris]
    actions: [read, close]
    resources: [ticket:T-1]
    allowed:
      - { subjects: [user:grace, user:henry, user:iris], actions: [read] }
      - { subjects: [user:grace], actions: [close] }
  - name: Nobody else closes
    who_can: { action: close, resource: ticket:T-1 }
    exactly: [user:grace]
`,
};

const tenantFile = (
  stack: string,
  tenant: string | undefined,
): string => `# Every *.yaml below this folder is read and merged: split the files as your teams are split.
#   servicectl validate    checks them, without a network
#   servicectl test        answers the questions in *.test.yaml, without a network
#   servicectl plan        shows what would change
#   servicectl apply       changes it, all or nothing
version: 1

# Who owns what these files declare. Apply changes and removes only what its own stack owns.
stack: ${bareText(stack)}
${
  tenant === undefined
    ? `
# The only tenant this may be applied to; without it, the one your credential belongs to.
# tenant: acme
`
    : `
# The only tenant this may be applied to.
tenant: ${bareText(tenant)}
`
}
# Requests name no roles, and send no properties in place of the recorded ones: records alone say who somebody is and what
# something is. A role, a type or a property that may come from requests says "from_requests: true".
defaults: { from_requests: false }

# Roles and policies outside of an application belong to the tenant and may span applications.
roles:
  observer:
    description: Reads everything that customers write.

policies:
  observe-tickets:
    effect: ALLOW
    resource_type: helpdesk/ticket
    actions: [read]
    assigned_to: [role/observer]

# What requests tell in their context. Conditions and tests are checked against it, so that "context.chanel" is no
# attribute that is always absent. Types of subjects are declared alike:
# subject_types:
#   user: { properties: { region: string } }
context_attributes:
  channel: { description: "How the customer writes: mail, phone or chat.", type: string }

# Renaming a record? Say so, and it keeps its id and everything that mentions it:
# moved:
#   - { from: role/helpdesk/clerk, to: role/helpdesk/supporter }
`;

const HELPDESK = `version: 1
applications:
  helpdesk:
    description: Tickets and who may close them.

    # A type of protected thing, its actions, and the properties that conditions may read.
    resource_types:
      ticket:
        actions: [read, close]
        properties: { severity: number }

    # Single resources need a record only where a policy names them or a condition reads their properties.
    resources:
      T-1: { type: ticket, properties: { severity: 2 } }

    roles:
      supporter: {}
      lead: {}

    policies:
      read-tickets:
        effect: ALLOW
        resource_type: ticket # covers tickets without a record too
        actions: [read]
        assigned_to: [role/helpdesk/supporter, role/helpdesk/lead]

      close-minor-tickets:
        description: The highest priority that applies decides; at equal priority DENY wins.
        effect: ALLOW
        priority: 10
        resource_type: ticket
        actions: [close]
        condition: resource.properties.severity < 3
        assigned_to: [role/helpdesk/lead]
`;

const PEOPLE = `version: 1
groups:
  support:
    description: Everybody who works with tickets.
    members: [user/grace, user/henry]
    roles: [helpdesk/supporter]

# A subject is TYPE/ID; the id is the one that your applications send.
subjects:
  user/grace: { name: Grace, roles: [helpdesk/lead] }
  user/henry: { name: Henry }
  user/iris:
    name: Iris
    roles:
      # An assignment may end by itself.
      - { role: observer, expires_at: "2099-12-31T23:59:59Z" }
`;
