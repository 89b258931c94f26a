/** Records that say who of the provider's accounts may use the console. */
export const PEOPLE = `
version: 1
stack: people
applications:
  service-console:
    resource_types:
      console: { actions: [view, edit] }
    resources:
      console/console: {}
    roles:
      viewer: {}
      editor: {}
    policies:
      view: { effect: ALLOW, resource_type: service-console/console, actions: [view], assigned_to: [role/service-console/viewer] }
      edit: { effect: ALLOW, resource_type: service-console/console, actions: [view, edit], assigned_to: [role/service-console/editor] }
groups:
  auditors: { roles: [service-console/viewer] }
subjects:
  user/alice: { roles: [service-console/editor] }
`;
