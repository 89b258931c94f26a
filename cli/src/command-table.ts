import type { ServiceCommand } from './service-command.js';

/** A command's module: its class stands as the default export. */
export type CommandClass = typeof ServiceCommand &
  (new (
    ...args: ConstructorParameters<typeof ServiceCommand>
  ) => ServiceCommand);

/**
 * Every command by the words that call it. A module is loaded when its command runs, so that starting the program
 * costs the same however many commands there are.
 */
export const COMMANDS: Record<string, () => Promise<{ default: CommandClass }>> = {
  init: () => import('./commands/init.js'),
  validate: () => import('./commands/validate.js'),
  plan: () => import('./commands/plan.js'),
  apply: () => import('./commands/apply.js'),
  export: () => import('./commands/export.js'),
  schema: () => import('./commands/schema.js'),
  authorize: () => import('./commands/authorize.js'),
  'who-can': () => import('./commands/who-can.js'),
  'what-can': () => import('./commands/what-can.js'),
  get: () => import('./commands/get.js'),
  audit: () => import('./commands/audit.js'),
  whoami: () => import('./commands/whoami.js'),
  'keys create': () => import('./commands/keys/create.js'),
  'keys list': () => import('./commands/keys/list.js'),
  'keys delete': () => import('./commands/keys/delete.js'),
  'clients create': () => import('./commands/clients/create.js'),
  'clients list': () => import('./commands/clients/list.js'),
  'clients delete': () => import('./commands/clients/delete.js'),
  'tenants create': () => import('./commands/tenants/create.js'),
  'tenants list': () => import('./commands/tenants/list.js'),
  'tenants delete': () => import('./commands/tenants/delete.js'),
  'cloud start': () => import('./commands/cloud/start.js'),
  'cloud rotate-keys': () => import('./commands/cloud/rotate-keys.js'),
  'agent start': () => import('./commands/agent/start.js'),
  'agent status': () => import('./commands/agent/status.js'),
  conformance: () => import('./commands/conformance.js'),
  'provider install': () => import('./commands/provider/install.js'),
  'profiles save': () => import('./commands/profiles/save.js'),
  'profiles list': () => import('./commands/profiles/list.js'),
  'profiles delete': () => import('./commands/profiles/delete.js'),
  completion: () => import('./commands/completion.js'),
};

/** First words that lead to several commands, with the line that help shows for each. */
export const TOPICS: Record<string, string> = {
  keys: 'Make, list and delete API keys.',
  clients: 'Make, list and delete OAuth clients.',
  tenants: 'Make, list and delete tenants.',
  profiles: 'Keep services and credentials by name on this machine.',
  cloud: 'Run the cloud service, and turn its keys.',
  agent: 'Run the agent on this machine, and see how it fares.',
  provider: 'Install the Terraform provider.',
};

/** The sections of the root help: what a newcomer needs first stands first. */
export const SECTIONS: { title: string; entries: string[] }[] = [
  { title: 'DECLARE', entries: ['init', 'validate', 'plan', 'apply', 'export', 'schema'] },
  { title: 'ASK', entries: ['authorize', 'who-can', 'what-can', 'get', 'audit', 'whoami'] },
  { title: 'CREDENTIALS', entries: ['keys', 'clients', 'tenants', 'profiles'] },
  { title: 'RUN', entries: ['cloud', 'agent', 'provider', 'conformance', 'completion'] },
];
