/** A small tenant of the tests' own. `amount` is what changes from one version of it to the next. */
export function billing({ amount = 120, stack = 'billing', subjects = ['alice', 'bob'] } = {}): Record<string, string> {
  return {
    'tenant.yaml': `version: 1\nstack: ${stack}\n`,
    'apps/billing.yaml': `version: 1
applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
    resources:
      INV-1: { type: invoice, properties: { amount: ${amount} } }
    roles:
      clerk: {}
      accountant: {}
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
      approve:
        effect: ALLOW
        resource_type: invoice
        actions: [approve]
        condition: resource.properties.amount < 1000
        assigned_to: [role/billing/accountant]
groups:
  finance: { members: [user/alice], roles: [billing/clerk] }
`,
    'people.yaml': `version: 1
subjects:
${subjects.map((id) => `  user/${id}: { ${id === 'bob' ? 'roles: [billing/accountant]' : ''} }`).join('\n')}
`,
  };
}

/** The files below a folder. */
export function below(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}
