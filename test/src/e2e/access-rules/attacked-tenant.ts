/** Externals never read payslips, nor anything in the folder `hr`, and nobody submits and approves the same payslip. */
export const ATTACKED_TENANT = `
version: 1
applications:
  payroll:
    resource_types:
      drive: { actions: [read] }
      folder: { actions: [read], parents: [{ type: drive, property: on }, { type: folder, property: in }] }
      payslip: { actions: [read, submit, approve], parents: [{ type: folder, property: in }] }
      vault: { actions: [enter] }
    resources:
      safe: { type: drive }
      hr: { type: folder }
      open: { type: folder }
      left: { type: folder }
      right: { type: folder }
    roles:
      reader: { from_requests: false }
      clerk: { from_requests: false }
      guest: {}
      badge: {}
      viewer: { from_requests: false, policies: [look] }
    policies:
      read: { effect: ALLOW, resource_type: payslip, actions: [read] }
      look: { effect: ALLOW, resource_types: [folder], actions: [read] }
      own: { effect: ALLOW, resource_type: payslip, actions: [read], condition: subject.properties.level == resource.properties.level }
      by-badge: { effect: ALLOW, resource_type: payslip, actions: [read], condition: subject.has_role("payroll/badge"), assigned_to: [everyone] }
      submit: { effect: ALLOW, resource_type: payslip, actions: [submit] }
      approve: { effect: ALLOW, resource_type: payslip, actions: [approve] }
      submit-left: { effect: ALLOW, resources: [{ resource: folder/left, actions: [submit], below: true }], assigned_to: [user/bob] }
      approve-right: { effect: ALLOW, resources: [{ resource: folder/right, actions: [approve], below: true }], assigned_to: [user/bob] }
      robots: { effect: ALLOW, resource_type: vault, actions: [enter], assigned_to: [everyone/robot] }
      shut: { effect: DENY, priority: 9, resource_type: vault, actions: ["*"] }
      keep-out: { effect: DENY, priority: 9, resource_type: payslip, actions: [read] }
groups:
  staff: { roles: [payroll/reader] }
  inner: {}
  externals: { members: [user/eve] }
subjects:
  user/ann: { properties: { contract: internal, level: 1 } }
  user/bob: { properties: { contract: internal } }
  user/eve: { properties: { contract: external } }
role_assignments: [{ role: payroll/viewer, to: user/eve, resource: payroll/folder/open }]
policy_assignments:
  - { policy: payroll/read, to: role/payroll/reader }
  - { policy: payroll/submit, to: group/inner }
  - { policy: payroll/shut, to: everyone }
access_rules:
  no-externals:
    never: { subjects: { type: user, where: 'subject.properties.contract == "external"' }, actions: [read], resources: payroll/payslip }
  closed: { never: { subjects: group/externals, actions: [read], resources: { named: [payroll/folder/hr], below: true } } }
  sealed: { never: { actions: ["*"], resources: payroll/vault } }
  four-eyes: { separate: { subjects: { type: user }, actions: [submit, approve], resources: payroll/payslip } }
`;
