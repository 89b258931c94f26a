/** What `service init` writes: a small tenant that validates, commented for somebody who sees the notation first. */
export interface ScaffoldFile {
  path: string;
  text: string;
}

const modeline = (schema: string): string => `# yaml-language-server: $schema=${schema}\n`;

export const SCHEMA_PATH = '.service/schema.json';

/** `stack` owns what the tree declares; `tenant`, where given, is the only one it may be applied to. */
export function scaffold({ stack, tenant }: { stack: string; tenant?: string | undefined }): ScaffoldFile[] {
  return [
    { path: 'tenant.yaml', text: modeline(SCHEMA_PATH) + tenantFile(stack, tenant) },
    { path: 'applications/billing.yaml', text: modeline(`../${SCHEMA_PATH}`) + BILLING },
    { path: 'people.yaml', text: modeline(SCHEMA_PATH) + PEOPLE },
  ];
}

const tenantFile = (
  stack: string,
  tenant: string | undefined,
): string => `# Every *.yaml below this folder is read and merged: split the files as your teams are split.
#   service validate    checks them, without a network
#   service plan        shows what would change
#   service apply       changes it, all or nothing
version: 1

# Who owns what these files declare. Apply changes and removes only what its own stack owns.
stack: ${JSON.stringify(stack)}
${
  tenant === undefined
    ? `
# The only tenant this may be applied to; without it, the one your credential belongs to.
# tenant: acme
`
    : `
# The only tenant this may be applied to.
tenant: ${JSON.stringify(tenant)}
`
}
# Roles and policies outside of an application belong to the tenant and may span applications.
roles:
  auditor:
    description: Reads everything that has to do with money.

policies:
  audit-invoices:
    effect: ALLOW
    resource_type: billing/invoice
    actions: [read]
    assigned_to: [role/auditor]

# Renaming a record? Say so, and it keeps its id and everything that mentions it:
# moved:
#   - { from: role/billing/clerk, to: role/billing/accountant }
`;

const BILLING = `version: 1
applications:
  billing:
    description: Invoices and who may approve them.

    # A type of protected thing, its actions, and the properties that conditions may read.
    resource_types:
      invoice:
        actions: [read, approve]
        properties: { amount: number }

    # Single resources need a record only where a policy names them or a condition reads their properties.
    resources:
      INV-1: { type: invoice, properties: { amount: 120 } }

    roles:
      clerk: {}
      accountant: {}

    policies:
      read-invoices:
        effect: ALLOW
        resource_type: invoice # covers invoices without a record too
        actions: [read]
        assigned_to: [role/billing/clerk, role/billing/accountant]

      approve-small-invoices:
        description: The highest priority that applies decides; at equal priority DENY wins.
        effect: ALLOW
        priority: 10
        resource_type: invoice
        actions: [approve]
        condition: resource.properties.amount < 10000
        assigned_to: [role/billing/accountant]
`;

const PEOPLE = `version: 1
groups:
  finance:
    description: Everybody who works with invoices.
    members: [user/alice, user/bob]
    roles: [billing/clerk]

# A subject is TYPE/ID; the id is the one that your applications send.
subjects:
  user/alice: { name: Alice, roles: [billing/accountant] }
  user/bob: { name: Bob }
  user/carol:
    name: Carol
    roles:
      # An assignment may end by itself.
      - { role: auditor, expires_at: "2099-12-31T23:59:59Z" }
`;
