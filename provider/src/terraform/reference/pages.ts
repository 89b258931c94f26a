import type { Schema } from '../framework/schema.js';
import { serviceProvider } from '../resources/service-provider.js';
import { schemaSection } from './schema-section.js';

/** A reference page in the layout of Terraform's registry; the path is below `docs`. */
export interface ReferencePage {
  path: string;
  text: string;
}

/** Gives the text of a file below `examples`. Throws when there is none: every page has an example. */
export type ReadExample = (path: string) => string;

const FORMS = {
  resources: { title: 'Resource', example: 'resource.tf' },
  'data-sources': { title: 'Data Source', example: 'data-source.tf' },
  'ephemeral-resources': { title: 'Ephemeral Resource', example: 'ephemeral-resource.tf' },
} as const;
type Folder = keyof typeof FORMS;

/** Every page there is: of the provider, and of each type that it offers. */
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
    'Records refer to each other by path: `application = service_application.billing.path`. Terraform then knows the order too. A path that leads neither to a record of the service nor to one that this configuration makes first fails the plan; what another provider block makes has to be applied before.',
    '## Example Usage',
    hcl(readExample('provider/provider.tf')),
    '## Ownership',
    'A record belongs to the stack that made it. The provider changes and removes only records of its own `stack`; those of another are refused, unless `take_ownership` is set. Terraform plans a takeover as a creation; a warning beside it says what it changes.',
    'What the stack itself made and the state has lost, as when Terraform was killed in the middle of an apply, the next apply takes over by itself, and the plan says so, where the provider block names the `stack`: the default may be that of another configuration, too. Of a credential nobody knows the secret any more: remove it, or take it over by `take_ownership`. A record that two resources of one configuration declare is refused in the plan.',
    '`terraform destroy` first plans what the configuration declares; where that is refused, as when another stack has made it meanwhile, `-refresh=false` destroys the rest without that plan.',
    '## Renames',
    'Another name is another record: Terraform makes it and removes the old one, the removal first. Records that others mention, and policies that deny, are renamed without a gap with `lifecycle { create_before_destroy = true }`, applied before the rename or with it; the plan warns where a rename of a type or a resource would be refused. With `-replace` a record keeps its name, so have what mentions it replaced in the same apply, too.',
    '## Types that lose what is mentioned',
    'An action or a property is renamed or removed, or a property made one of another type, in the type and in all that mentions it, in one apply. The type first has what is right before and after, and loses the rest together with the last policy or resource that mentions it. A record of this configuration that goes on mentioning it fails the plan, and so does one of another stack. Where one has no resource, or `-target` leaves it out, plan and apply warn and the type keeps what it mentions.',
    '## Tests',
    'With mocks, `terraform test` needs no service. `service provider install --mocks tests/mocks` writes them; a test names the folder:',
    hcl('mock_provider "service" {\n  source = "./tests/mocks"\n}'),
    'Mocked decisions allow; a test overrides them with `override_data`. In a run with `command = plan`, Terraform cannot yet evaluate a `check` on a decision that depends on what the plan makes: let the run apply, which is the default and touches nothing, or name the check in `expect_failures`.',
    '## OpenTofu',
    '`service provider install` fills the place where OpenTofu looks for providers, too: `~/.terraform.d/plugins/registry.opentofu.org`. The configuration and its `source` stay the same. The provider is tested with Terraform only.',
    schemaSection(schema),
  ];
  return { path: 'index.md', text: page(sections) };
}

function importSections(type: string, block: string): string[] {
  const target = /to = (\S+)/.exec(block)?.[1] ?? '';
  const id = /id = "([^"]+)"/.exec(block)?.[1] ?? '';
  return [
    '## Import',
    "By a record's address, or by its id:",
    hcl(block),
    `\`\`\`shell\nterraform import '${target}' '${id}'\n\`\`\``,
    ...(type === 'service_api_key' || type === 'service_oauth_client'
      ? ['Its secret is not imported: the service keeps none.']
      : []),
  ];
}

/** The description stands in the registry's search and overviews. */
function frontMatter(title: string, description: string): string {
  return `---\npage_title: "${title}"\nsubcategory: ""\ndescription: |-\n  ${description}\n---`;
}

const hcl = (text: string) => `\`\`\`terraform\n${text.trimEnd()}\n\`\`\``;
const page = (sections: string[]) => `${sections.join('\n\n')}\n`;
