import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How configurations name the provider: `source = "authz-service/service"`. */
export const SOURCE = 'authz-service/service';

/** The provider as this package holds it. */
export interface ProviderRelease {
  version: string;
  /** The executable that `npm run build` bundles. It needs Node on the PATH. */
  file: string;
}

export function providerRelease(): ProviderRelease {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return {
    version,
    file: fileURLToPath(new URL(`../../dist/terraform-provider-service_v${version}.cjs`, import.meta.url)),
  };
}
