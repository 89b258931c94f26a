import type { Schema } from '../framework/schema.js';
import { serviceProvider } from '../resources/service-provider.js';
import { schemaSection } from './schema-section.js';

/** A reference page in the layout of Terraform's registry; the path is relative to `docs`. */
export interface ReferencePage {
  path: string;
  text: string;
}

/** Returns the text of a file below `examples`. Throws if there is none: every page has an example. */
export type ReadExample = (path: string) => string;

const FORMS = {
  resources: { title: 'Resource', example: 'resource.tf' },
  'data-sources': { title: 'Data Source', example: 'data-source.tf' },
  'ephemeral-resources': { title: 'Ephemeral Resource', example: 'ephemeral-resource.tf' },
} as const;
type Folder = keyof typeof FORMS;

/** Sets that are imported by the address of the record that they grant. */
const SETS: { readonly [type: string]: string } = {
  service_group_members: 'group',
  service_policy_assignees: 'policy',
  service_role_holders: 'role',
};

/** All pages: that of the provider, and one for each type that it offers. */
export function referencePages(readExample: ReadExample): ReferencePage[] {
  const { schema, resources, dataSources, ephemeralResources } = serviceProvider({});
  const folders: [Folder, { [type: string]: { schema: Schema } }][] = [
    ['resources', resources],
    ['data-sources', dataSources],
    ['ephemeral-resources', ephemeralResources],
  ];
  return [
    indexPage(schema, readExample),
    ...folders.flatMap(([folder, types]) =>
      Object.entries(types).map(([type, { schema: own }]) => typePage(folder, type, own, readExample)),
    ),
  ];
}

function typePage(folder: Folder, type: string, schema: Schema, readExample: ReadExample): ReferencePage {
  const { title, example } = FORMS[folder];
  const sections = [
    frontMatter(`${type} ${title} - service`, schema.description),
    `# ${type} (${title})`,
    schema.description,
    '## Example Usage',
    hcl(readExample(`${folder}/${type}/${example}`)),
    schemaSection(schema),
    ...(folder === 'resources' ? importSections(type, readExample(`${folder}/${type}/import.tf`)) : []),
  ];
  return { path: `${folder}/${type.replace(/^service_/, '')}.md`, text: page(sections) };
}

function indexPage(schema: Schema, readExample: ReadExample): ReferencePage {
  const sections = [
    frontMatter('service Provider', schema.description),
    '# service Provider',
    schema.description,
    'Records refer to each other by path: `application = service_application.billing.path`. Terraform then also knows the order. A path that leads neither to a record of the service nor to one that this configuration creates earlier fails the plan; records of another provider block must be applied before.',
    '## Example Usage',
    hcl(readExample('provider/provider.tf')),
    '## Ownership',
    'A record belongs to the stack that created it. The provider changes and removes only records of its own `stack` and refuses those of other stacks, unless `take_ownership` is set. Terraform plans a takeover as a creation; a warning says what the takeover changes.',
    'The state can lose records of the stack, for example when Terraform is killed in the middle of an apply. If the provider block names the `stack`, the next apply takes them over, and the plan says so. It does not do so for the default stack, which another configuration may use, too. Nor does it for credentials, whose secrets nobody knows any more: remove them, or take them over with `take_ownership`. The plan refuses a record that two resources of one configuration declare.',
    'Whom other stacks give a role, policy or group of this stack is named in the plan, as a warning, and left alone. `service_role_holders`, `service_policy_assignees` and `service_group_members` own all such links of one record: a plan shows what others have added as a difference, and the apply removes it.',
    'If the client has limits, the plan refuses what lies outside them.',
    '`terraform destroy` first plans what the configuration declares. If that is refused, for example because another stack has created a record meanwhile, `-refresh=false` destroys the rest without that plan.',
    '## Links that change hands',
    'A link is held by a resource of its own, such as `service_group_membership`, or with all others of its record by a set, such as `service_group_members`. A plan in which one resource gives up a link that another one holds from then on is refused, since Terraform knows no order of the two. A `moved` block hands it over: `from = service_group_membership.NAME` and `to = service_group_members.NAME`, or back. Further resources that a set replaces leave by `removed` blocks with `destroy = false`. A set that stays removes every link that it does not list, so a link that it gives up cannot go to a single resource.',
    '## Access rules',
    'The plan judges what it knows by the access rules of the tenant and refuses what breaks one, at the resource that brings it. What is known only in the apply is refused there, after other resources were changed.',
    '## Trees from data',
    `With \`for_each\`, resources and roles may mention others of their kind by text: \`parents = ["\${service_resource_type.folder.path}/\${each.value}"]\`. Terraform knows no order of them, so the apply joins those that it works on at the same time: \`-parallelism\` says how many. For a tree of more records than that, declare each level as a resource of its own that refers to the \`path\` of the level above.`,
    '## Renames',
    'A record with another name is another record: Terraform removes the old one and creates the new one. To rename a record that others mention, or a policy that denies, without a gap, set `lifecycle { create_before_destroy = true }` before the rename or together with it; the plan warns if the service would refuse the rename of a type or a resource.',
    '## Replacement',
    'With `-replace`, `terraform taint` and `replace_triggered_by` a record keeps its name. The apply removes and creates it in one change-set, so the records that mention it stay, and no decision sees the time between. If the creation is refused, the record stays as it was, and the next apply takes it over. The secret of a replaced API key or OAuth client ends at once. With `create_before_destroy`, the `provider` block must name its `stack`.',
    '## Removing actions and properties from types',
    'You can rename or remove an action or a property, or change the type of a property, in one apply together with all records that mention it. During the apply, the type first gets a form that is valid before and after, and it loses the rest together with the last policy or resource that mentions it. The plan fails if a record of this configuration or of another stack would go on mentioning it. If a record that mentions it has no resource, or `-target` excludes it, the type keeps what the record mentions, and every later plan names both until an apply has changed or removed that record.',
    '## Schemas',
    'Conditions and stored properties are checked against `service_subject_type` and `service_context_attribute`. Nothing refers to a schema, so Terraform knows no order: where a policy or subject needs what a schema newly declares, give it `depends_on = [service_subject_type.NAME]`. Without it, the apply joins the two if Terraform asks for both at the same time, and refuses the policy otherwise. What a schema loses may change in the same apply.',
    '## Tests',
    'With mocks, `terraform test` needs no service. `servicectl provider install --mocks tests/mocks` writes them; a test names the folder:',
    hcl('mock_provider "service" {\n  source = "./tests/mocks"\n}'),
    'Mocked decisions allow everything; a test overrides them with `override_data`. Terraform makes up `path`, `address` and `id` in the apply of a run. Give runs with `command = plan` a file of their own with `override_during = plan` beside `source`, and their plans know these values, too. In a run with `command = plan`, Terraform cannot yet evaluate a `check` on a decision that depends on what the plan makes: let the run apply, which is the default and changes nothing, or name the check in `expect_failures`.',
    '## OpenTofu',
    '`servicectl provider install` also installs the provider where OpenTofu looks for it: `~/.terraform.d/plugins/registry.opentofu.org`. The configuration and its `source` stay the same. The provider is tested with Terraform only.',
    schemaSection(schema),
  ];
  return { path: 'index.md', text: page(sections) };
}

function importSections(type: string, block: string): string[] {
  const target = /to = (\S+)/.exec(block)?.[1] ?? '';
  const id = /id = "([^"]+)"/.exec(block)?.[1] ?? '';
  return [
    '## Import',
    type in SETS ? `By the address of the ${SETS[type]}, or by its id:` : "By a record's address, or by its id:",
    hcl(block),
    `\`\`\`shell\nterraform import '${target}' '${id}'\n\`\`\``,
    ...(type === 'service_api_key' || type === 'service_oauth_client'
      ? ['Its secret is not imported: the service keeps none.']
      : []),
  ];
}

/** The description that the registry shows in searches and overviews. */
function frontMatter(title: string, description: string): string {
  return `---\npage_title: "${title}"\nsubcategory: ""\ndescription: |-\n  ${description}\n---`;
}

const hcl = (text: string) => `\`\`\`terraform\n${text.trimEnd()}\n\`\`\``;
const page = (sections: string[]) => `${sections.join('\n\n')}\n`;
