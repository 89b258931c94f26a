import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import { ProblemError } from '@authz-service/core/problem';
import { string } from '@oclif/core/flags';
import { err, out } from '../../output/terminal.js';
import { type Outcome, ServiceCommand } from '../../service-command.js';
import { relativePath } from '../../tree/relative-path.js';

export default class ProviderInstall extends ServiceCommand {
  static override summary = 'Install the Terraform provider for "terraform init" and "tofu init", without a registry.';
  static override description =
    `Copies the provider to ~/.terraform.d/plugins, where Terraform and OpenTofu look before they ask a registry. \
Configurations require it as source = "authz-service/service". The provider runs with the Node on the PATH.

If Terraform's CLI configuration has a provider_installation block, Terraform ignores that folder: name a folder \
there as a filesystem_mirror, and pass the same folder with --dir.`;
  static override examples = [
    { description: 'For this user', command: 'servicectl provider install' },
    { description: 'For one configuration', command: 'servicectl provider install --dir terraform.d/plugins' },
    { description: 'With mocks for terraform test', command: 'servicectl provider install --mocks tests/mocks' },
  ];
  static override flags = {
    dir: string({ description: 'Another folder, laid out as a local mirror.', helpValue: 'DIR' }),
    mocks: string({ description: 'Also write mocks for "terraform test" into this folder.', helpValue: 'DIR' }),
  };

  override async run(): Promise<Outcome> {
    const { flags } = await this.parse(ProviderInstall);
    if (isSea())
      throw new ProblemError(
        'invalid_config',
        'This servicectl is a single file without the provider: use the archive "terraform-provider-service" of the same release, or servicectl from npm.',
      );
    const { installProvider, writeMocks } = await import(
      '@authz-service/provider/terraform/distribution/install-provider'
    );
    const mocks = flags.mocks === undefined ? undefined : await writeMocks(resolve(flags.mocks));
    const installed = await installProvider(flags.dir === undefined ? undefined : resolve(flags.dir));
    if (installed.replaced) {
      await err.line(
        err.style(
          'yellow',
          'It replaced another build of this version: if .terraform.lock.hcl contains that build, remove the file and run "terraform init" again.',
        ),
      );
    }
    return {
      json: { ...installed, ...(mocks !== undefined && { mocks }) },
      text: [
        `${out.style('green', 'Installed')} ${installed.source} ${installed.version} as ${relativePath(installed.files.terraform)}, and for OpenTofu as ${relativePath(installed.files.opentofu)}.`,
        ...(mocks === undefined ? [] : [`Mocks for "terraform test" are in ${relativePath(mocks)}.`]),
      ].join('\n'),
    };
  }
}
