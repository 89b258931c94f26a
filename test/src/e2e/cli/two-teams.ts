/** The platform's tree: what belongs to the tenant, and a limited client for each team's pipeline. */
export const PLATFORM = {
  'platform/platform.yaml': `version: 1
stack: platform
applications: { billing: {}, shipping: {} }
subjects: { user/alice: {}, user/mallory: {} }
roles: { auditor: {} }
groups: { on-call: { shared_with: [billing] } }
oauth_clients:
  billing:
    scopes: ["records:write", credentials]
    limits: { stacks: [billing], applications: [billing], priority_max: 100 }
  shipping:
    scopes: ["records:write", credentials]
    limits: { stacks: [shipping], applications: [shipping], priority_max: 100 }
`,
};

export const SHIPPING = {
  'shipping/shipping.yaml': `version: 1
stack: shipping
applications:
  shipping:
    resource_types: { parcel: { actions: [track] }, label: { actions: [print], shared_with: [billing] } }
    roles: { packer: { assigned_to: [user/alice] } }
    policies:
      pack: { effect: ALLOW, resource_type: parcel, actions: ["*"], assigned_to: [role/shipping/packer] }
external: [application/shipping, application/billing, user/alice]
`,
};

/** The billing team's tree. `more` is text below its policies. */
export const billingTree = (more = '', external: string[] = [], roles = 'clerk: { assigned_to: [user/alice] }') => ({
  'billing/billing.yaml': `version: 1
stack: billing
applications:
  billing:
    resource_types: { invoice: { actions: [read] } }
    roles: { ${roles} }
    policies:
      read: { effect: ALLOW, resource_type: invoice, actions: [read], assigned_to: [role/billing/clerk] }
${more}
external: [${['application/billing', 'user/alice', ...external].join(', ')}]
`,
});
