import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How configurations name the provider: `source = "authz-service/service"`. */
export const SOURCE = 'authz-service/service';

/** The provider inside this package. */
export interface ProviderRelease {
  version: string;
  /** The folder that `npm run build` bundles into; all of its files are needed. */
  folder: string;
  /** The executable in it. It needs Node on the PATH. */
  program: string;
}

export function providerRelease(): ProviderRelease {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return {
    version,
    folder: fileURLToPath(new URL('../../../dist/bundle', import.meta.url)),
    program: `terraform-provider-service_v${version}.cjs`,
  };
}
