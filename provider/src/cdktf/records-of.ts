import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';

/**
 * All records that constructs declare, including assignments and memberships. Use it in the `dependsOn` of what must
 * come after them, such as a decision that is asked for.
 */
export function recordsOf(...constructs: Construct[]): TerraformResource[] {
  return constructs.flatMap(({ node }) => node.findAll().filter((one) => one instanceof TerraformResource));
}
