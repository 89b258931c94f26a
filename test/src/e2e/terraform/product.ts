import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installProvider } from '@authz-service/provider/terraform/distribution/install-provider';
import { ServiceClient } from '@authz-service/sdk/client';
import type { TestCloud } from '../../../../cloud/testing/test-cloud.js';
import { Workspace } from './workspace.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}provider/package.json`, 'utf8'));

/** The provider as `npm run build` makes it. */
export const PROVIDER = `${root}provider/dist/bundle/terraform-provider-service_v${version}.cjs`;

/** A tenant of its own, as its administrator, with folders of Terraform configuration that act on it. */
export class TerraformTenant {
  private readonly workspaces: Workspace[] = [];

  private constructor(
    readonly client: ServiceClient,
    readonly env: { SERVICE_CLIENT_ID: string; SERVICE_CLIENT_SECRET: string; SERVICE_CLOUD_URL: string },
  ) {}

  static async make(cloud: TestCloud, operator: ServiceClient): Promise<TerraformTenant> {
    made += 1;
    const { client_id: clientId, client_secret: clientSecret } = await operator.tenants.create({ name: `t${made}` });
    return new TerraformTenant(new ServiceClient({ url: cloud.url, credentials: { clientId, clientSecret } }), {
      SERVICE_CLIENT_ID: clientId,
      SERVICE_CLIENT_SECRET: clientSecret,
      SERVICE_CLOUD_URL: cloud.url,
    });
  }

  workspace(configuration: string, env: Record<string, string> = {}): Workspace {
    const workspace = new Workspace({ providers: { service: PROVIDER }, env: { ...this.env, ...env } });
    this.workspaces.push(workspace);
    workspace.write(configuration);
    return workspace;
  }

  /** An empty folder in which `terraform init` finds the provider, installed as the CLI does it, and nothing else. */
  async newcomer(): Promise<Workspace> {
    const workspace = new Workspace({ providers: {}, env: this.env });
    this.workspaces.push(workspace);
    // Any provider_installation block, as for local builds, would turn the folder of installed providers off.
    const config = join(workspace.dir, 'newcomer.tfrc');
    writeFileSync(config, '');
    workspace.env.TF_CLI_CONFIG_FILE = config;
    await installProvider(join(workspace.dir, '.terraform.d/plugins'));
    return workspace;
  }

  /** The addresses of all records but the administrator's, in order. */
  async addresses(): Promise<string[]> {
    const { records } = await this.client.state();
    return records
      .map(({ address }) => address)
      .filter((address) => address !== 'oauth_client/administrator')
      .sort();
  }

  async fields(address: string): Promise<unknown> {
    return (await this.client.state()).records.find((record) => record.address === address)?.fields;
  }

  /** How many revisions have been made. */
  async revisions(): Promise<number> {
    return Number.parseInt((await this.client.state()).revision, 10);
  }

  remove(): void {
    for (const workspace of this.workspaces) workspace.remove();
  }
}

let made = 0;
