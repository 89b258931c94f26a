import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';

/**
 * All records that constructs declare, assignments and memberships too: for the `dependsOn` of what must come after
 * them, such as a decision that is asked for.
 */
export function recordsOf(...constructs: Construct[]): TerraformResource[] {
  return constructs.flatMap(({ node }) => node.findAll().filter((one) => one instanceof TerraformResource));
}
